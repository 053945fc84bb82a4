import { RE2JS } from 're2js'
import { errorText } from '../base/errno.ts'
import type { LinePattern } from '../internal.ts'
import { patternTooLarge, patternTooLong } from '../messages/mcp/scratchpad.ts'

const maxSourceLength = 1000
/** Instructions of the compiled pattern: `error|warn|fatal` has 18. */
const maxInstructions = 1000
/** Instructions times characters of one test: at most 0.2 s, during which the server does nothing else. */
const maxSteps = 4_000_000

/** RE2 syntax, which matches in linear time. `reason`: why the pattern is refused. */
export function compilePattern(
  source: string,
  ignoreCase: boolean,
): LinePattern | { readonly reason: string } {
  if (source.length > maxSourceLength) return { reason: patternTooLong(maxSourceLength) }
  try {
    const compiled = RE2JS.compile(source, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0)
    const size = compiled.programSize()
    if (size > maxInstructions) return { reason: patternTooLarge }
    return { test: (text) => compiled.test(text), longest: Math.floor(maxSteps / size) }
  } catch (error) {
    return { reason: errorText(error) }
  }
}
