import { isYes } from '../admit/approval/approve.ts'
import { onAbort } from '../base/within.ts'
import type { Execution } from './execution.ts'

/** How long a question may stay: until its command has ended, too, since later questions wait for it. */
export interface QuestionWait {
  readonly timeoutMs: number
  readonly ended: Promise<unknown>
}

/** Asks the approver whether a protected path may change: `[workspace] on_protected`. Keeps the answer for the audit log. */
export async function askProtected(
  { request, mode, options, context, answers }: Execution,
  path: string,
  { timeoutMs, ended }: QuestionWait,
): Promise<boolean> {
  // The command itself reads what is typed at its terminal.
  if (request.terminal) return false
  const over = new AbortController()
  const abort = () => over.abort()
  if (options.signal?.aborted) abort()
  const forget = onAbort(options.signal, abort)
  void ended.then(abort)
  const wait = { timeoutMs: Math.max(1, timeoutMs), signal: over.signal }
  const answer = await context.admission.approveChange({ ...request, mode }, path, wait)
  forget()
  if (answer) answers.push(answer)
  return answer !== undefined && isYes(answer.approval)
}
