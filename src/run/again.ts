import type { Refused } from '../admit/admission.ts'
import { hintBehind } from '../base/hint.ts'
import type { AnyResult, Denial } from '../base/types.ts'
import { isVitrineError } from '../messages/error.ts'
import { type HeldBecause, heldHint, secondRunFailed } from '../messages/refusal.ts'
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
  if (mode === 'write' || !admission.decision.held) return undefined
  const denials = refusedWhileHeld(execution, result)
  return denials && { mode, denials }
}

/** Not for known fallbacks. Empty where the system does not report what it was. */
function refusedWhileHeld({ context }: Execution, result: AnyResult): readonly Denial[] | undefined {
  const told = hintBehind(result)?.told
  if (told) return told
  if (result.failure?.kind !== 'permission-denied') return undefined
  const isReported = result.enforcement['denial reports']?.enforced === true
  const mayBeHidden = !isReported || restrictsReads(context.backend.reads) || namesHidden(result)
  return mayBeHidden ? [] : undefined
}

/** Devices, and what other processes have open: read mode refuses to read them, and does not report it. */
function namesHidden({ stderr, output }: AnyResult): boolean {
  return /\/(?:dev|proc)\//.test(String(stderr.length > 0 ? stderr : output))
}

/** A line that runs held, and whose second run an approver can allow: under preset `analysis` there is none. */
export function mayBeAsked({ context: { admission, config }, admission: { decision } }: Execution): boolean {
  return decision.held === true && admission.hasApprover && config.policy.preset !== 'analysis'
}

/** Why the approver is not asked; undefined: it is. */
function whyUnasked(execution: Execution, { outcome }: AnyResult): HeldBecause | undefined {
  if (!execution.admission.decision.held) return undefined
  if (execution.context.config.policy.preset === 'analysis') return 'analysis'
  if (!mayBeAsked(execution)) return 'unasked'
  // Ctrl+C is a signal, too.
  if (outcome.kind !== 'exited' && outcome.kind !== 'timed-out') return 'ended'
  return execution.running?.listener?.withholds === false ? 'told' : undefined
}

/** Once more in write mode where the first run was refused something and the approver says so. */
export async function orAgain<R extends AnyResult>(
  execution: Execution,
  first: R,
  again: (refused: Refused) => Promise<R>,
): Promise<R> {
  const refused = refusedOf(execution, first)
  if (!refused) return first
  if (whyUnasked(execution, first)) return withoutSecondRun(execution, first, refused)
  try {
    return await again(refused)
  } catch (error) {
    return withoutSecondRun(execution, first, refused, error)
  }
}

/** The first run's result stands where the second one did not start; the hint says why. Throws a `ListenerError`. */
async function withoutSecondRun<R extends AnyResult>(
  execution: Execution,
  first: R,
  refused: Refused,
  error?: unknown,
): Promise<R> {
  const isAborted = error !== undefined && error === execution.options.signal?.reason
  if (error !== undefined && !isVitrineError(error) && !isAborted) throw error
  const hint = hintWithout(execution, first, refused, error)
  const result = hint === undefined ? first : { ...first, hint }
  await execution.running?.listener?.end(result)
  return result
}

function hintWithout(
  execution: Execution,
  first: AnyResult,
  refused: Refused,
  error: unknown,
): string | undefined {
  if (isVitrineError(error) && error.code !== 'DENIED' && error.code !== 'NOT_APPROVED')
    return secondRunFailed(error.message)
  if (!execution.admission.decision.held) return first.hint
  const why = whyUnasked(execution, first) ?? (isVitrineError(error) ? 'refused' : 'ended')
  return heldHint(refused.denials, execution.request.cwd, why)
}
