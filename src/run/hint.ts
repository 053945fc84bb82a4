import type { HintReader } from '../base/hint.ts'
import type { Outcome } from '../base/types.ts'
import { modeNames } from '../messages/hints.ts'
import { containerMemoryHint } from '../messages/limits.ts'
import { readsHint } from '../sandbox/reads/unread.ts'
import type { Finished } from './execution.ts'
import { refusalHint } from './refusal-hint.ts'
import { readersWays } from './remedy.ts'
import { type Hint, isUntold, type Judged, permissionWords } from './result.ts'

/** The most important hint at what happened; behind it, what the interpreter says about the line. */
export function hintOf(finished: Finished, judged: Judged, lineHint: string | undefined): Hint {
  const lost = lossHint(finished, judged)
  if (lost !== undefined) return { hint: joined(lost, lineHint) }
  const { outcome, errors } = judged
  const succeeded = outcome.kind === 'exited' && outcome.code === 0
  const refused = refusalHint({ ...finished, errors, succeeded })
  const hint = refused?.sentence ?? readingHint(finished, judged) ?? unreportedHint(finished, judged)
  return { hint: joined(hint ?? timeoutHint(finished, outcome), lineHint), refused }
}

function joined(...hints: readonly (string | undefined)[]): string | undefined {
  return hints.filter((hint) => hint !== undefined).join(' ') || undefined
}

/** A container denies no reads: a path that is not mounted does not exist. */
function readingHint({ execution }: Finished, { enforcement, failure, errors }: Judged): string | undefined {
  const { mode, context, request } = execution
  if (context.config.shell.backend !== 'local' || failure?.kind !== 'permission-denied') return undefined
  const denied = { mode, enforcement, errors, cwd: request.cwd, reads: context.backend.reads }
  return readsHint(denied, readerOf(execution))
}

function readerOf({ options }: Finished['execution']): HintReader {
  return options.hintFor ?? 'user'
}

/**
 * For "permission denied" without a denial report. Nothing where the sandbox has no part: in a file that is not executable, and in a
 * read-only file system where it reports its own refusals. What held a line is said where it does not run again.
 */
function unreportedHint(finished: Finished, judged: Judged): string | undefined {
  const { mode, admission } = finished.execution
  const { outcome, errors, failure, enforcement } = judged
  if (mode === 'write' || failure?.kind !== 'permission-denied' || admission.decision.held) return undefined
  if (outcome.kind === 'exited' && outcome.code === 126) return undefined
  const { write } = readersWays(finished)
  const name = modeNames[mode]
  if (!enforcement['denial reports']?.enforced)
    return `${name} refuses every change outside the ${mode === 'read' ? 'command' : 'workspace'}; if this one is intended, ${write}.`
  if (!permissionWords.test(errors)) return undefined
  const inDev = ', or the file is in /dev, where only write mode reads more than harmless devices'
  return `${name} reports no refusal: this user may lack the permission (write mode does not help then)${errors.includes('/dev/') ? inDev : ''}. If a change was intended, ${write}.`
}

/** The command, or its output, lacked something that is worth more than a refusal. */
function lossHint(finished: Finished, { noFiles, outcome }: Judged): string | undefined {
  const { survivors, lost, containerMemory } = finished.end
  const reader = readerOf(finished.execution)
  const saving = noFiles ?? savingHint(finished, outcome, reader)
  if (saving !== undefined) return saving
  if (outcome.kind === 'output-limit') return outputLimitHint(reader)
  if (lost !== undefined) return lostHint(lost, reader)
  if (isUntold(survivors)) return untoldEndHint
  return containerMemory === undefined ? undefined : containerMemoryHint(containerMemory)
}

/** @param said why the engine does not know how the command ended */
export function lostHint(said: string, reader: HintReader): string {
  const check = reader !== 'user' ? 'ask the user to check with' : 'check with'
  return `vitrine lost the Docker engine or the container (${said}), so it is unknown how the command ended. It may still be running; ${check} "vitrine docker status".`
}

export const untoldEndHint =
  'The end of the command was not reported in time. Processes of it may still be running.'

/** Failing to store the output ended the command or cut its output. */
function savingHint({ saved }: Finished, { kind }: Outcome, reader: HintReader): string | undefined {
  const reason = saved.notSaved ?? saved.unsaved?.reason
  if (reason === undefined) return undefined
  const ended = saved.unsaved && kind === 'output-limit' ? ', so vitrine ended the command' : ''
  const remedy =
    reader === 'user'
      ? 'Free space where outputs are saved (vitrine scratchpad clear), or set XDG_STATE_HOME or TMPDIR to a writable directory'
      : 'Produce less output, or ask the user to free space where outputs are saved, or to set XDG_STATE_HOME or TMPDIR to a writable directory'
  return `The output could not be saved (${reason})${ended}. ${remedy}.`
}

/** `[output] max_bytes` ended the command. */
function outputLimitHint(reader: HintReader): string {
  const raise = `${reader === 'user' ? '' : 'ask the user to '}raise [output] max_bytes`
  return `The command was ended because of the length of its output. Print less (filter it, or in parts), or ${raise}.`
}

/** A tool's answer says it in a line of its own, whether the command timed out or not. */
function timeoutHint({ execution }: Finished, outcome: Outcome): string | undefined {
  const { loweredFromMs: asked, timeoutMs: most } = execution.request
  const isDue = outcome.kind === 'timed-out' && asked !== undefined && readerOf(execution) === 'user'
  return isDue ? loweredTimeoutHint(asked, most) : undefined
}

/** @param asked milliseconds, over the maximum */
export function loweredTimeoutHint(asked: number, most: number): string {
  return `The timeout of ${asked} ms was lowered to the maximum, ${most} ms ([shell] max_timeout_ms).`
}
