import { errorText } from '../base/errno.ts'
import type { Refusal } from '../internal.ts'
import { internalError, prefixed } from '../messages/cli/run.ts'
import { isVitrineError } from '../messages/error.ts'
import { exitCode } from './command.ts'
import { factsOf, jsonVersion } from './json.ts'
import { standardError, standardOutput } from './run/sink.ts'

/** Reports why nothing ran, as text or JSON; returns the exit code. */
export async function fail(error: unknown, { json }: { readonly json: boolean }): Promise<number> {
  if (json) await standardOutput.write(`${JSON.stringify({ version: jsonVersion, error: facts(error) })}\n`)
  else await standardError.write(prefixed(wording(error)))
  return isVitrineError(error) ? refusalCode(error.refusal) : exitCode.refused
}

function facts(error: unknown): object {
  return isVitrineError(error) ? factsOf(error) : { code: 'INTERNAL', message: wording(error) }
}

// Any other error is a bug: a bug report needs its stack.
function wording(error: unknown): string {
  if (isVitrineError(error)) return error.message
  return internalError(Object(error).stack ?? errorText(error))
}

/** A program that could not be executed gets 126 or 127, as in a shell. */
export function refusalCode(refusal: Refusal): number {
  if (refusal.code !== 'SPAWN_FAILED' || refusal.step !== 'exec') return exitCode.refused
  if (refusal.errno === 'ENOENT' || refusal.errno === 'ENOTDIR') return exitCode.notFound
  if (refusal.errno === 'EACCES' || refusal.errno === 'ENOEXEC') return exitCode.notExecutable
  return exitCode.refused
}
