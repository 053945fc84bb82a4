import type { Result } from '../internal.ts'
import type { VitrineError } from '../messages/error.ts'
import type { RunArguments } from './run/options.ts'

/** Raised when a field of `run --json` is removed or changes its meaning: docs/run-json.md. */
export const jsonVersion = 1

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

export function factsOf({ message, refusal: { code, ...rest } }: VitrineError): object {
  return { code, message, ...rest }
}
