import { types } from 'node:util'
import { unlessAborted } from '../base/clock.ts'
import type { ApprovalRecord, Decision, Mode } from '../base/types.ts'
import type { CompleteRequest } from '../request/request.ts'
import type { Approval, ApprovalInput, ApprovalRequest, Approver, HostQuestion } from './approver.ts'

/** An approval for the rest of a session, in one mode only. */
export type StandingApproval =
  | { readonly kind: 'host'; readonly host: string; readonly port: number }
  | { readonly kind: 'all'; readonly mode: Mode }
  | {
      readonly kind: 'same'
      readonly mode: Mode
      readonly command: string
      readonly cwd: string
      /** SHA-256 of the standard input; null: there was none. */
      readonly stdin: string | null
    }

/** Asks one question at a time, and remembers the standing approvals of one shell. */
export class Approvals {
  readonly #approver: Approver
  #standing: StandingApproval[] = []
  /** Hosts that stay refused: `HOST PORT`. */
  readonly #never = new Set<string>()
  #queue: Promise<unknown> = Promise.resolve()

  constructor(approver: Approver) {
    this.#approver = approver
  }

  list(): readonly StandingApproval[] {
    return [...this.#standing]
  }

  /** Revokes one; without an argument all, and hosts that were refused are asked about again. */
  revoke(approval?: StandingApproval): void {
    if (!approval) this.#never.clear()
    this.#standing = approval ? this.#standing.filter((standing) => !isSame(standing, approval)) : []
  }

  /** Asks unless a standing approval covers the command. No answer is no. */
  async approves(request: ApprovalRequest, decision: Decision): Promise<ApprovalRecord> {
    let asked = false
    const isAsked = () => {
      asked = true
    }
    const turn = this.#queue.then(() => this.#ask(request, decision, isAsked))
    // The next question waits for this one. This one waits for earlier ones only until its own signal aborts.
    this.#queue = turn
    return unlessAborted(turn, request.signal, () => this.#record({ asked, answer: 'none' }))
  }

  async #ask(request: ApprovalRequest, decision: Decision, isAsked: () => void): Promise<ApprovalRecord> {
    const { command, cwd, mode, once, signal } = request
    if (signal.aborted) return this.#record({ asked: false, answer: 'none' })
    // Checked only now: the answer before may cover this command too.
    if (request.connect && this.#never.has(keyOf(request.connect)))
      return this.#record({ asked: false, answer: 'no' })
    const covering = once ? undefined : this.#covering(request)
    if (covering) {
      const standing = covering.kind === 'all' ? 'all' : 'same'
      return this.#record({ asked: false, answer: 'yes', standing })
    }
    isAsked()
    const given = answerOf(this.#approver, request, decision)
    const answer = await unlessAborted(given, signal, () => 'none' as const)
    if (request.connect) this.#remember(request.connect, answer)
    if (once || request.connect) return this.#record({ asked: true, answer })
    if (answer === 'all') this.#standing.push({ kind: 'all', mode })
    const stdin = digestOf(request)
    if (answer === 'same' && stdin !== undefined)
      this.#standing.push({ kind: 'same', mode, command, cwd, stdin })
    return this.#record({ asked: true, answer })
  }

  /** No answer in time is not remembered. */
  #remember(question: HostQuestion, answer: Approval | 'none'): void {
    const { host, port } = question
    if (answer === 'no') this.#never.add(keyOf(question))
    if (answer === 'same' || answer === 'all') this.#standing.push({ kind: 'host', host, port })
  }

  #record(what: Pick<ApprovalRecord, 'asked' | 'answer'> & Partial<ApprovalRecord>): ApprovalRecord {
    return { by: this.#approver.by ?? 'approver', standing: null, ...what }
  }

  #covering(request: ApprovalRequest): StandingApproval | undefined {
    const { command, cwd, mode, connect } = request
    if (connect) {
      const asked = { kind: 'host', host: connect.host, port: connect.port } as const
      return this.#standing.find((standing) => isSame(standing, asked))
    }
    const stdin = digestOf(request)
    return this.#standing.find((standing) => {
      if (standing.kind === 'host') return false
      if (standing.kind === 'all') return standing.mode === mode
      return stdin !== undefined && isSame(standing, { kind: 'same', mode, command, cwd, stdin })
    })
  }
}

function keyOf({ host, port }: HostQuestion): string {
  return `${host} ${port}`
}

/** Undefined for input whose content is unknown: no standing approval covers it. */
function digestOf({ stdin }: ApprovalRequest): string | null | undefined {
  if (stdin.kind === 'given') return stdin.sha256
  return stdin.kind === 'none' ? null : undefined
}

export function isYes({ answer }: ApprovalRecord): boolean {
  return answer === 'yes' || answer === 'all' || answer === 'same'
}

/** Never rejects: an approver that fails gives no answer, and any value but the four answers is no. */
async function answerOf(
  approver: Approver,
  request: ApprovalRequest,
  decision: Decision,
): Promise<Approval | 'none'> {
  try {
    // Copies: what the approver changes must reach neither the audit log nor what is remembered.
    const { stdin, connect } = request
    const question = { ...request, stdin: { ...stdin }, connect: connect && { ...connect } }
    const answer = await approver(question, structuredClone(decision))
    return answer === 'yes' || answer === 'all' || answer === 'same' ? answer : 'no'
  } catch {
    return 'none'
  }
}

function isSame(a: StandingApproval, b: StandingApproval): boolean {
  if (a.kind === 'host') return b.kind === 'host' && a.host === b.host && a.port === b.port
  if (b.kind === 'host' || a.mode !== b.mode) return false
  if (a.kind === 'all' || b.kind === 'all') return a.kind === b.kind
  return a.command === b.command && a.cwd === b.cwd && a.stdin === b.stdin
}

const maxBeginningLength = 1000

export function inputOf({ stdin, terminal }: Pick<CompleteRequest, 'stdin' | 'terminal'>): ApprovalInput {
  if (terminal) return { kind: 'unknown' }
  if (stdin === null || stdin === '') return { kind: 'none' }
  if (typeof stdin !== 'string' && !types.isUint8Array(stdin)) return { kind: 'unknown' }
  const bytes = Buffer.from(stdin)
  // Loaded late: it costs start-up time.
  const { createHash } = process.getBuiltinModule('node:crypto')
  return {
    kind: 'given',
    bytes: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    beginning: bytes.toString('utf8', 0, maxBeginningLength),
    complete: bytes.length <= maxBeginningLength,
  }
}
