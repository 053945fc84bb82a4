import { isYes } from '../admit/approval/approve.ts'
import type { Execution } from './execution.ts'

/** Asks the approver whether a protected path may change: `[workspace] on_protected`. Keeps the answer for the audit log. */
export async function askProtected(
  { request, mode, options, context, answers }: Execution,
  path: string,
  timeoutMs: number,
): Promise<boolean> {
  // The command itself reads what is typed at its terminal.
  if (request.terminal) return false
  const wait = { timeoutMs: Math.max(1, timeoutMs), signal: options.signal }
  const answer = await context.admission.approveChange({ ...request, mode }, path, wait)
  if (answer) answers.push(answer)
  return answer !== undefined && isYes(answer.approval)
}
