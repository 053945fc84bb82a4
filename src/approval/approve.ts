import type { Decision } from '../result/result.ts'
import type { Approval, ApprovalRequest, Approver } from './approver.ts'

/** What was approved for the rest of a session. */
export type StandingApproval =
  | { readonly kind: 'all' }
  | { readonly kind: 'same'; readonly command: string; readonly cwd: string }

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
    // The next question waits for this one, however it ends.
    this.#queue = turn.catch(() => undefined)
    return turn
  }

  async #ask(request: ApprovalRequest, decision: Decision): Promise<boolean> {
    // Asked in turn: the question before may have been answered for this one too.
    if (this.#covers(request)) return true
    const answer = await answerOf(this.#approver, request, decision)
    if (answer === 'all') this.#standing.push({ kind: 'all' })
    if (answer === 'same') this.#standing.push({ kind: 'same', command: request.command, cwd: request.cwd })
    return answer !== 'no'
  }

  #covers({ command, cwd }: ApprovalRequest): boolean {
    return this.#standing.some(
      (standing) => standing.kind === 'all' || (standing.command === command && standing.cwd === cwd),
    )
  }
}

/** An answer that does not come, comes too late, or is none of the four, is no. */
async function answerOf(approver: Approver, request: ApprovalRequest, decision: Decision): Promise<Approval> {
  const { signal } = request
  if (signal.aborted) return 'no'
  const late = new Promise<'no'>((resolve) => {
    signal.addEventListener('abort', () => resolve('no'), { once: true })
  })
  const answer = await Promise.race([approver(request, decision).catch(() => 'no' as const), late])
  return answer === 'yes' || answer === 'all' || answer === 'same' ? answer : 'no'
}

function isSame(a: StandingApproval, b: StandingApproval): boolean {
  if (a.kind === 'all' || b.kind === 'all') return a.kind === b.kind
  return a.command === b.command && a.cwd === b.cwd
}
