import { errorText } from '../base/errno.ts'
import type { Refusal } from '../internal.ts'
import { internalError, prefixed } from '../messages/cli/run.ts'
import { isVitrineError } from '../messages/error.ts'
import { exitCode } from './command.ts'
import { jsonVersion } from './json.ts'
import { standardError, standardOutput } from './run/sink.ts'

/** Says why nothing ran, for people or as JSON; returns the exit code. */
export async function fail(error: unknown, { json }: { readonly json: boolean }): Promise<number> {
  if (json) await standardOutput.write(`${JSON.stringify({ version: jsonVersion, error: facts(error) })}\n`)
  else await standardError.write(prefixed(wording(error)))
  return isVitrineError(error) ? refusalCode(error.refusal) : exitCode.refused
}

function facts(error: unknown): object {
  if (!isVitrineError(error)) return { code: 'INTERNAL', message: wording(error) }
  const { code, ...rest } = error.refusal
  return { code, message: error.message, ...rest }
}

// What is no refusal is a mistake of ours: its stack is what a report needs.
function wording(error: unknown): string {
  if (isVitrineError(error)) return error.message
  return internalError(Object(error).stack ?? errorText(error))
}

/** 126 and 127 as a shell says them, for programs that could not be executed. */
function refusalCode(refusal: Refusal): number {
  if (refusal.code !== 'SPAWN_FAILED' || refusal.step !== 'exec') return exitCode.refused
  if (refusal.errno === 'ENOENT' || refusal.errno === 'ENOTDIR') return exitCode.notFound
  if (refusal.errno === 'EACCES' || refusal.errno === 'ENOEXEC') return exitCode.notExecutable
  return exitCode.refused
}
