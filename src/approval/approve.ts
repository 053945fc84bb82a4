import type { Decision, Mode } from '../result/result.ts'
import type { Approval, ApprovalRequest, Approver } from './approver.ts'

/** What was approved for the rest of a session. A yes to a command that the sandbox holds is none to the same without it. */
export type StandingApproval =
  | { readonly kind: 'all'; readonly mode: Mode }
  | { readonly kind: 'same'; readonly mode: Mode; readonly command: string; readonly cwd: string }

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
  async approves(request: ApprovalRequest, decision: Decision): Promise<boolean> {
    const turn = this.#queue.then(() => this.#ask(request, decision))
    // The next question waits for this one; this one waits for those before it no longer than for its own answer.
    this.#queue = turn
    return (await inTime(turn, request.signal)) !== 'no'
  }

  async #ask(request: ApprovalRequest, decision: Decision): Promise<Approval> {
    const { command, cwd, mode, signal } = request
    if (signal.aborted) return 'no'
    // Asked in turn: the question before may have been answered for this one too.
    if (this.#covers(request)) return 'yes'
    const answer = await inTime(answerOf(this.#approver, request, decision), signal)
    if (answer === 'all') this.#standing.push({ kind: 'all', mode })
    if (answer === 'same') this.#standing.push({ kind: 'same', mode, command, cwd })
    return answer
  }

  #covers({ command, cwd, mode }: ApprovalRequest): boolean {
    return this.#standing.some(
      (standing) =>
        standing.mode === mode &&
        (standing.kind === 'all' || (standing.command === command && standing.cwd === cwd)),
    )
  }
}

/** Never rejects: an approver that fails, or answers anything but the four answers, says no. */
async function answerOf(approver: Approver, request: ApprovalRequest, decision: Decision): Promise<Approval> {
  try {
    const answer = await approver(request, decision)
    return answer === 'yes' || answer === 'all' || answer === 'same' ? answer : 'no'
  } catch {
    return 'no'
  }
}

/** The answer, or no when the signal comes first. */
function inTime(answer: Promise<Approval>, signal: AbortSignal): Promise<Approval> {
  return new Promise((resolve) => {
    const late = () => resolve('no')
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
  return a.command === b.command && a.cwd === b.cwd
}
