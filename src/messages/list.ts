import type { Result } from '../base/types.ts'
import { visible } from '../base/visible.ts'

/** What became of the lines of a list: which failed, and which did not run. */
export function listLines(lines: readonly string[], results: readonly Result[]): readonly string[] {
  const failed = results.flatMap((result, at) =>
    isFailure(result)
      ? [`line ${at + 1} of ${lines.length} failed (${endOf(result)}): ${brief(lines[at])}`]
      : [],
  )
  const skipped = lines.slice(results.length)
  if (skipped.length === 0) return failed
  return [...failed, `not run: ${skipped.map(brief).join('; ')}`]
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

/** A line as a message names it: visible, and cut. */
function brief(line = ''): string {
  const shown = visible(line)
  return shown.length > maxLineLength ? `${shown.slice(0, maxLineLength)}...` : shown
}

/** `[line 2 of 3: npm test]`: stands before the answer to one line of a list. */
export function lineHeader(lines: readonly string[], at: number): string {
  return `[line ${at + 1} of ${lines.length}: ${brief(lines[at])}]`
}
