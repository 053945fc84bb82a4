import { errorText } from '../base/errno.ts'
import type { Refusal } from '../internal.ts'
import { internalError, prefixed } from '../messages/cli/run.ts'
import { isVitrineError } from '../messages/error.ts'
import { describeRequestProblem } from '../messages/refusal.ts'
import { exitCode } from './command.ts'
import { factsOf, jsonVersion } from './json.ts'
import { standardError, standardOutput } from './run/sink.ts'

interface Failing {
  readonly json: boolean
  /** Whether a command was to run, so that the report says that it did not. */
  readonly runs: boolean
}

/** Reports why nothing ran, as text or JSON; returns the exit code. */
export async function fail(error: unknown, { json, runs }: Failing): Promise<number> {
  if (json)
    await standardOutput.write(`${JSON.stringify({ version: jsonVersion, error: facts(error, runs) })}\n`)
  else await standardError.write(prefixed(wording(error, runs)))
  return isVitrineError(error) ? refusalCode(error.refusal) : exitCode.refused
}

function facts(error: unknown, runs: boolean): object {
  const message = wording(error, runs)
  return isVitrineError(error) ? { ...factsOf(error), message } : { code: 'INTERNAL', message }
}

// Any other error is a bug: a bug report needs its stack.
function wording(error: unknown, runs: boolean): string {
  if (isVitrineError(error)) {
    const { message, refusal } = error
    return runs || refusal.code !== 'INVALID_REQUEST' ? message : describeRequestProblem(refusal.problem)
  }
  return internalError(Object(error).stack ?? errorText(error))
}

/** A program that could not be executed gets 126 or 127, as in a shell. */
export function refusalCode(refusal: Refusal): number {
  if (refusal.code !== 'SPAWN_FAILED' || refusal.step !== 'exec') return exitCode.refused
  if (refusal.errno === 'ENOENT' || refusal.errno === 'ENOTDIR') return exitCode.notFound
  if (refusal.errno === 'EACCES' || refusal.errno === 'ENOEXEC') return exitCode.notExecutable
  return exitCode.refused
}
