import type { ApprovalRecord, Decision, Mode } from '../../base/types.ts'
import type { Approval, ApprovalRequest, Approver } from './approver.ts'

/** What was approved for the rest of a session. A yes to a command that the sandbox holds is none to the same without it. */
export type StandingApproval =
  | { readonly kind: 'all'; readonly mode: Mode }
  | {
      readonly kind: 'same'
      readonly mode: Mode
      readonly command: string
      readonly cwd: string
      /** SHA-256 of the standard input; null: there was none. */
      readonly stdin: string | null
    }

/** The approvals of one shell: who is asked, one question after the other, and what need not be asked again. */
export class Approvals {
  readonly #approver: Approver
  #standing: StandingApproval[] = []
  #queue: Promise<unknown> = Promise.resolve()

  constructor(approver: Approver) {
    this.#approver = approver
  }

  /** What stands, oldest first. */
  list(): readonly StandingApproval[] {
    return [...this.#standing]
  }

  /** Takes one back, as `list` gave it; without an argument all of them. */
  revoke(approval?: StandingApproval): void {
    this.#standing = approval ? this.#standing.filter((standing) => !isSame(standing, approval)) : []
  }

  /** Whether the command may run. Asks unless a standing approval covers it; no answer is no. */
  async approves(request: ApprovalRequest, decision: Decision): Promise<ApprovalRecord> {
    let asked = false
    const isAsked = () => {
      asked = true
    }
    const turn = this.#queue.then(() => this.#ask(request, decision, isAsked))
    // The next question waits for this one; this one waits for those before it no longer than for its own answer.
    this.#queue = turn
    return inTime(turn, request.signal, () => this.#record({ asked, answer: 'none' }))
  }

  async #ask(request: ApprovalRequest, decision: Decision, isAsked: () => void): Promise<ApprovalRecord> {
    const { command, cwd, mode, signal } = request
    if (signal.aborted) return this.#record({ asked: false, answer: 'none' })
    // Asked in turn: the question before may have been answered for this one too.
    const covering = this.#covering(request)
    if (covering) return this.#record({ asked: false, answer: 'yes', standing: covering.kind })
    isAsked()
    const answer = await inTime<Approval | 'none'>(
      answerOf(this.#approver, request, decision),
      signal,
      () => 'none',
    )
    if (answer === 'all') this.#standing.push({ kind: 'all', mode })
    const stdin = digestOf(request)
    if (answer === 'same' && stdin !== undefined)
      this.#standing.push({ kind: 'same', mode, command, cwd, stdin })
    return this.#record({ asked: true, answer })
  }

  #record(what: Pick<ApprovalRecord, 'asked' | 'answer'> & Partial<ApprovalRecord>): ApprovalRecord {
    return { by: this.#approver.by ?? 'approver', standing: null, ...what }
  }

  #covering(request: ApprovalRequest): StandingApproval | undefined {
    const { command, cwd, mode } = request
    const stdin = digestOf(request)
    return this.#standing.find((standing) => {
      if (standing.kind === 'all') return standing.mode === mode
      return stdin !== undefined && isSame(standing, { kind: 'same', mode, command, cwd, stdin })
    })
  }
}

/** Undefined for an input that may bring anything: no standing approval is about it. */
function digestOf({ stdin }: ApprovalRequest): string | null | undefined {
  if (stdin.kind === 'given') return stdin.sha256
  return stdin.kind === 'none' ? null : undefined
}

/** Whether a question was answered so that the command may run. */
export function isYes({ answer }: ApprovalRecord): boolean {
  return answer === 'yes' || answer === 'all' || answer === 'same'
}

/** Never rejects: an approver that fails gives no answer, and one that answers anything but the four answers says no. */
async function answerOf(
  approver: Approver,
  request: ApprovalRequest,
  decision: Decision,
): Promise<Approval | 'none'> {
  try {
    const answer = await approver(request, decision)
    return answer === 'yes' || answer === 'all' || answer === 'same' ? answer : 'no'
  } catch {
    return 'none'
  }
}

/** The answer, or what stands for none when the signal comes first. */
function inTime<T>(answer: Promise<T>, signal: AbortSignal, none: () => T): Promise<T> {
  return new Promise((resolve) => {
    const late = () => resolve(none())
    if (signal.aborted) late()
    signal.addEventListener('abort', late, { once: true })
    void answer.then((given) => {
      signal.removeEventListener('abort', late)
      resolve(given)
    })
  })
}

function isSame(a: StandingApproval, b: StandingApproval): boolean {
  if (a.mode !== b.mode) return false
  if (a.kind === 'all' || b.kind === 'all') return a.kind === b.kind
  return a.command === b.command && a.cwd === b.cwd && a.stdin === b.stdin
}
