import type { AnyResult } from '../base/types.ts'
import { isVitrineError } from '../messages/error.ts'
import { secondRunFailed } from '../messages/refusal.ts'
import type { Execution } from './execution.ts'

/** Whether the approver is to be asked about a second run in write mode: `[workspace] on_refusal`. */
export function mayRunAgain({ request, context }: Execution, result: AnyResult): boolean {
  if (context.config.workspace.on_refusal !== 'ask' || result.mode !== 'workspace') return false
  // A stream or a descriptor has been read by the first run.
  const { stdin } = request
  const isRepeatable = stdin === null || typeof stdin === 'string' || ArrayBuffer.isView(stdin)
  const failed = result.outcome.kind === 'exited' && result.exitCode !== 0
  return failed && isRepeatable && result.denials.length > 0 && context.admission.hasApprover
}

/** The first run's result stands where the second one did not start; unless it was refused, the hint says why. */
export function withoutSecondRun<R extends AnyResult>(first: R, error: unknown): R {
  if (!isVitrineError(error)) throw error
  if (error.code === 'DENIED' || error.code === 'NOT_APPROVED') return first
  return { ...first, hint: secondRunFailed(error.message) }
}
