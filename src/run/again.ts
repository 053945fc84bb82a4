import type { Refused } from '../admit/admission.ts'
import { hintBehind } from '../base/hint.ts'
import type { AnyResult, Denial } from '../base/types.ts'
import { isVitrineError } from '../messages/error.ts'
import { heldHint, secondRunFailed } from '../messages/refusal.ts'
import type { CompleteRequest } from '../request/request.ts'
import { restrictsReads } from '../sandbox/sandbox.ts'
import type { Execution } from './execution.ts'

/** Whether the command could run a second time: the first uses up a stream, a descriptor or a terminal. */
export function isRepeatable({ stdin, terminal }: Pick<CompleteRequest, 'stdin' | 'terminal'>): boolean {
  return terminal === null && (stdin === null || typeof stdin === 'string' || ArrayBuffer.isView(stdin))
}

/** What the run was refused, where it could run once more in write mode. */
export function refusedOf(execution: Execution, result: AnyResult): Refused | undefined {
  const { mode, admission } = execution
  if (mode === 'write') return undefined
  const denials = admission.decision.held
    ? refusedWhileHeld(execution, result)
    : refusedInWorkspace(execution, result)
  return denials && { mode, denials }
}

/** `[workspace] on_refusal` */
function refusedInWorkspace(
  { mode, request, context }: Execution,
  result: AnyResult,
): readonly Denial[] | undefined {
  const asks = context.config.workspace.on_refusal === 'ask' && context.admission.hasApprover
  if (mode !== 'workspace' || !asks || !isRepeatable(request)) return undefined
  return hasFailed(result) && result.denials.length > 0 ? result.denials : undefined
}

/** Not for known fallbacks. Empty where the system does not report what it was. */
function refusedWhileHeld({ context }: Execution, result: AnyResult): readonly Denial[] | undefined {
  const hint = hintBehind(result)
  if (hint) {
    const first = hint.about === 'network' ? hint.named : [hint.about]
    const others = result.denials.filter((denial) => !first.includes(denial))
    return [...first, ...others.slice(0, hint.succeeded ? hint.succeeded.further : undefined)]
  }
  const isReported = result.enforcement['denial reports']?.enforced === true
  const isUnreported = !isReported || restrictsReads(context.backend.reads)
  return isUnreported && result.failure?.kind === 'permission-denied' ? [] : undefined
}

function hasFailed({ outcome }: AnyResult): boolean {
  return outcome.kind === 'exited' && outcome.code !== 0
}

/** Whether the approver is asked: under preset `analysis` a line runs nowhere but in read mode. */
export function mayRunAgain({ context, request }: Execution): boolean {
  const { admission, config } = context
  return admission.hasApprover && config.policy.preset !== 'analysis' && isRepeatable(request)
}

/** The first run's result stands where the second one did not start; the hint says why. */
export function withoutSecondRun<R extends AnyResult>(
  execution: Execution,
  first: R,
  refused: Refused,
  error?: unknown,
): R {
  if (error !== undefined && !isVitrineError(error)) throw error
  const isRefused = error === undefined || error.code === 'DENIED' || error.code === 'NOT_APPROVED'
  if (!isRefused) return { ...first, hint: secondRunFailed(error.message) }
  if (!execution.admission.decision.held) return first
  const { preset } = execution.context.config.policy
  const why = preset === 'analysis' ? 'analysis' : error === undefined ? 'unasked' : 'refused'
  return { ...first, hint: heldHint(refused.denials, execution.request.cwd, why) }
}
