import { type Arguments, hasOption, type Objection } from '../command/arguments.ts'
import { knownValue } from '../syntax/line.ts'

/** jq: `import` and `include` read files from any directory their `search` names (jq(1), MODULES). */
export function checkJq(given: Arguments): Objection | undefined {
  if (hasOption(given, '-f', '--from-file')) return undefined
  const text = knownValue(given.operands[0]) ?? ''
  return /\b(?:import|include)\b/.test(text) ? { kind: 'script', text } : undefined
}
