import type { ApprovalWait } from '../admit/admission.ts'
import { isYes } from '../admit/approvals.ts'
import { inThisContext, monotonicMs } from '../base/clock.ts'
import type { AskHost, Wanted } from '../network/gate.ts'
import { hostAndPort } from '../network/hosts.ts'
import type { Execution } from './execution.ts'

/** Asks the approver whether a protected path may change: `[workspace] on_protected`. Keeps the answer for the audit log. */
export async function askProtected(
  { request, mode, context, answers }: Execution,
  path: string,
  wait: ApprovalWait,
): Promise<boolean> {
  // The command itself reads what is typed at its terminal.
  if (request.terminal) return false
  const answer = await context.admission.approveChange({ ...request, mode }, path, wait)
  if (answer) answers.push(answer)
  return answer !== undefined && isYes(answer.approval)
}

/** Asks the approver about hosts that are not listed: `[network] ask`. Undefined: they are refused unasked. */
export function hostQuestions(execution: Execution, deadlineAt: number): AskHost | undefined {
  const { request, access, context } = execution
  // The command itself reads what is typed at its terminal.
  if (!access?.asks || !context.admission.hasApprover || request.terminal) return undefined
  const answers = new Map<string, Promise<boolean>>()
  // The proxy calls in the asynchronous context of the shell's first command: an approver finds that of its call.
  return inThisContext((wanted, signal) => {
    // One answer for all connections of the command to the host and port, those that wait for it included.
    const key = hostAndPort(wanted.host, wanted.port)
    const known = answers.get(key)
    if (known) return known
    const answer = ask(execution, wanted, { timeoutMs: Math.max(1, deadlineAt - monotonicMs()), signal })
    answers.set(key, answer)
    return answer
  })
}

async function ask(
  { request, mode, context, hostAnswers }: Execution,
  { host, port, client }: Wanted,
  wait: ApprovalWait,
): Promise<boolean> {
  const question = { host: host.name, port, program: client?.program }
  const answer = await context.admission.approveHost({ ...request, mode }, question, wait)
  if (answer) hostAnswers.push(answer)
  return answer !== undefined && isYes(answer.approval)
}
