import { clipped } from '../base/text.ts'
import type { Result } from '../base/types.ts'

/** A refusal of one command of several; those before it ran, the following ones do not. */
export function refusedOfSeveral(message: string, following: number): string {
  if (following === 0) return message
  return `${message} ${following === 1 ? 'The one after it did not run either.' : `The ${following} after it did not run either.`}`
}

/**
 * Which lines of a list failed, and which did not run.
 * @param stopped why the line after the results could not be started
 */
export function listLines(
  lines: readonly string[],
  results: readonly Result[],
  stopped?: string,
): readonly string[] {
  const failed = results.flatMap((result, at) =>
    isFailure(result)
      ? [`line ${at + 1} of ${lines.length} failed (${endOf(result)}): ${brief(lines[at])}`]
      : [],
  )
  const at = results.length
  const notStarted =
    stopped === undefined
      ? []
      : [`line ${at + 1} of ${lines.length} could not be started: ${brief(lines[at])}`, stopped]
  const skipped = lines.slice(at + (stopped === undefined ? 0 : 1))
  const notRun = skipped.length === 0 ? [] : [`not run: ${skipped.map(brief).join('; ')}`]
  return [...failed, ...notStarted, ...notRun]
}

function endOf({ outcome }: Result): string {
  switch (outcome.kind) {
    case 'exited':
      return `exit code ${outcome.code}`
    case 'signalled':
      return outcome.signal
    case 'timed-out':
      return 'timed out'
    case 'cancelled':
      return 'cancelled'
    case 'output-limit':
    case 'limited':
      return 'over a limit'
  }
}

export function isFailure({ outcome }: Result): boolean {
  return outcome.kind !== 'exited' || outcome.code !== 0
}

const maxLineLength = 60

function brief(line = ''): string {
  return clipped(line, maxLineLength)
}

/** `[line 2 of 3: npm test]` precedes the answer to one line of a list. */
export function lineHeader(lines: readonly string[], at: number): string {
  return `[line ${at + 1} of ${lines.length}: ${brief(lines[at])}]`
}
