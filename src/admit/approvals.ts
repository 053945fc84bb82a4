import { isDeepStrictEqual, types } from 'node:util'
import { unlessAborted } from '../base/clock.ts'
import type { ApprovalRecord, Decision, Mode } from '../base/types.ts'
import type { CompleteRequest } from '../request/request.ts'
import type { SessionState } from '../request/state.ts'
import type { Approval, ApprovalInput, ApprovalRequest, Approver, HostQuestion } from './approver.ts'

/**
 * An approval for the rest of a session: of connections to `host` at `port`, of every command in `mode`, or of one `command` in the directory
 * `cwd` and `mode`.
 */
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
      /** SHA-256 of what its session has defined; absent: nothing, or no session. */
      readonly session?: string
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
    this.#standing = approval
      ? this.#standing.filter((standing) => !isDeepStrictEqual(standing, approval))
      : []
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
    const { connect, signal } = request
    if (signal.aborted) return this.#record({ asked: false, answer: 'none' })
    // Checked only now: the answer before may cover this command too.
    if (connect && this.#never.has(keyOf(connect))) return this.#record({ asked: false, answer: 'no' })
    const covering = (['all', 'same'] as const).map((answer) => standingOf(request, answer))
    const known = this.#standing.find((each) => covering.some((wanted) => isDeepStrictEqual(each, wanted)))
    if (known)
      return this.#record({ asked: false, answer: 'yes', standing: known.kind === 'all' ? 'all' : 'same' })
    isAsked()
    const given = answerOf(this.#approver, request, decision)
    // No answer in time is not remembered.
    const answer = await unlessAborted(given, signal, () => 'none' as const)
    if (connect && answer === 'no') this.#never.add(keyOf(connect))
    const standing = standingOf(request, answer)
    if (standing) this.#standing.push(standing)
    return this.#record({ asked: true, answer })
  }

  #record(what: Pick<ApprovalRecord, 'asked' | 'answer'> & Partial<ApprovalRecord>): ApprovalRecord {
    return { by: this.#approver.by ?? 'approver', standing: null, ...what }
  }
}

/** What an answer approves for the rest of the session. */
function standingOf(request: ApprovalRequest, answer: Approval | 'none'): StandingApproval | undefined {
  const { command, cwd, mode, connect, once, session } = request
  if (once || (answer !== 'same' && answer !== 'all')) return undefined
  if (connect) return { kind: 'host', host: connect.host, port: connect.port }
  if (answer === 'all') return { kind: 'all', mode }
  const stdin = digestOf(request)
  const same = { kind: 'same', mode, command, cwd } as const
  return stdin === undefined ? undefined : { ...same, stdin, ...(session !== undefined && { session }) }
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

const maxBeginningLength = 1000

/** Of all by which a state changes what a line does, but its directory. */
export function definedIn(state: SessionState): string | undefined {
  const { env, variables, declarations, functions, aliases, options, umask } = state
  const { OLDPWD: _, ...exported } = env
  const all = [exported, variables, declarations, functions, aliases].filter(
    (part) => Object.keys(part).length > 0,
  )
  if (all.length + options.length === 0 && umask === null) return undefined
  const { createHash } = process.getBuiltinModule('node:crypto')
  return createHash('sha256')
    .update(JSON.stringify([all, options, umask]))
    .digest('hex')
}

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
