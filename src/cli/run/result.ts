import { constants } from 'node:os'
import { errorText } from '../../base/errno.ts'
import { bytesText, sizeText } from '../../base/text.ts'
import type { Refusal, Result } from '../../internal.ts'
import { isVitrineError, type VitrineError } from '../../messages/error.ts'
import { limitAdvice, limitReached } from '../../messages/limits.ts'
import { describeRequestProblem } from '../../messages/refusal.ts'
import {
  denialLines,
  denialsBeside,
  handoffLines,
  leftText,
  processes,
  survivorsText,
} from '../../messages/result.ts'
import { exitCode, lostCode, standardError, standardOutput, tell } from '../output.ts'
import type { RunArguments } from './request.ts'

export function exitCodeOf({ outcome, exitCode: own, signal }: Result): number {
  switch (outcome.kind) {
    case 'exited':
      return outcome.code
    case 'signalled':
      return signalCode(outcome.signal)
    case 'timed-out':
      return exitCode.timedOut
    case 'limited':
      return signalCode('SIGKILL')
    case 'output-limit':
      return exitCode.refused
    case 'cancelled':
      return own ?? (signal === null ? exitCode.refused : signalCode(signal))
  }
}

// Node has no names for real-time signals; they are named by number.
function signalCode(name: NodeJS.Signals): number {
  return 128 + (constants.signals[name] ?? Number(name.replace('SIG', '')))
}

/** When our output could not be written; `isOfCommand`: which was ended for it. */
export async function brokenPipeCode(isOfCommand = true): Promise<number | undefined> {
  const errno = standardOutput.broken ?? standardError.broken
  return errno === undefined ? undefined : lostCode(errno, isOfCommand)
}

/** The lines about an ended command, after its own output. */
export function afterLines(result: Result): readonly string[] {
  const { background, hint, outcome, scratchpad, survivorsKilled } = result
  const lines = outcomeLine(result)
  if (background && background.count > 0)
    lines.push(
      `${processes(background.count, 'is', 'are')} still running in group ${background.group}; to end: kill -- -${background.group}`,
    )
  if (background?.left) lines.push(leftText(background.left))
  if (survivorsKilled > 0 && outcome.kind === 'exited') lines.push(survivorsText(survivorsKilled))
  if (scratchpad && scratchpad.bytes > 0) {
    const what = isSavedWhole(result) ? 'complete output' : 'beginning of the output'
    lines.push(`the ${what} (${sizeText(scratchpad.bytes)}) is in ${scratchpad.path}`)
  }
  lines.push(...handoffLines(result.handoffs))
  lines.push(...denialLines(denialsBeside(result)))
  if (hint !== undefined) lines.push(hint)
  return lines
}

/** A full disk takes a part, or nothing. */
function isSavedWhole({ scratchpad, bytes }: Result): boolean {
  return scratchpad === undefined || scratchpad.bytes === bytes
}

function outcomeLine(result: Result): string[] {
  const { outcome } = result
  if (outcome.kind === 'timed-out')
    return [`timed out after ${outcome.afterMs} ms; the command was terminated`]
  // The hint tells of a full disk.
  if (outcome.kind === 'output-limit' && !isSavedWhole(result)) return []
  if (outcome.kind === 'output-limit')
    return [`the command was killed at its output limit: ${bytesText(outcome.limit)} ([output] max_bytes)`]
  if (outcome.kind === 'limited')
    return [`the command was killed: ${limitReached(outcome)}`, limitAdvice(outcome.limit).advice]
  return []
}

/** Raised when a field of `run --json` is removed or changes its meaning: docs/run-json.md. */
const jsonVersion = 1

export function jsonOf(
  { each, json, requests }: RunArguments,
  results: readonly Result[],
  stopped?: VitrineError,
): object {
  const shown = results.map((result) => (json === 'full' ? result : shortOf(result)))
  if (!each) return { version: jsonVersion, ...shown[0] }
  const lines = requests.map(({ command = '' }) => command)
  return {
    version: jsonVersion,
    results: shown.map((result, at) => ({ command: lines[at], ...result })),
    ...(stopped && { error: factsOf(stopped) }),
    skipped: lines.slice(results.length + (stopped ? 1 : 0)),
  }
}

/**
 * Without redundant fields: `output` repeats both streams, unless it alone holds what could not be saved; `enforcement` is
 * the same for every command.
 */
function shortOf({ output, enforcement: _, ...rest }: Result): object {
  const isSaved = !rest.truncated || rest.omittedBytes > 0
  return isSaved ? rest : { output, ...rest }
}

function factsOf({ message, refusal: { code, ...rest } }: VitrineError): object {
  return { code, message, ...rest }
}

interface Failing {
  readonly json: boolean
  /** Whether a command was to run, so that the report says that it did not. */
  readonly runs: boolean
}

/** Reports why nothing ran, as text or JSON; returns the exit code. */
export async function fail(error: unknown, { json, runs }: Failing): Promise<number> {
  const message = wording(error, runs)
  const facts = isVitrineError(error) ? { ...factsOf(error), message } : { code: 'INTERNAL', message }
  if (json) await standardOutput.write(`${JSON.stringify({ version: jsonVersion, error: facts })}\n`)
  else await tell(message)
  return isVitrineError(error) ? refusalCode(error.refusal) : exitCode.refused
}

// Any other error is a bug: a bug report needs its stack.
function wording(error: unknown, runs: boolean): string {
  if (!isVitrineError(error))
    return `This is a bug in vitrine. Please report it.\n${Object(error).stack ?? errorText(error)}`
  const { message, refusal } = error
  return runs || refusal.code !== 'INVALID_REQUEST' ? message : describeRequestProblem(refusal.problem)
}

/** A program that could not be executed gets 126 or 127, as in a shell. */
export function refusalCode(refusal: Refusal): number {
  if (refusal.code !== 'SPAWN_FAILED' || refusal.step !== 'exec') return exitCode.refused
  if (refusal.errno === 'ENOENT' || refusal.errno === 'ENOTDIR') return exitCode.notFound
  if (refusal.errno === 'EACCES' || refusal.errno === 'ENOEXEC') return exitCode.notExecutable
  return exitCode.refused
}
