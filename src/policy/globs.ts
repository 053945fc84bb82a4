/** Whether a pattern of the shell could match a name. A pattern that this reading does not know could. */
export function couldMatch(pattern: string, name: string): boolean {
  const expression = expressionOf(pattern)
  return expression === undefined || expression.test(name)
}

const known = new Map<string, RegExp | undefined>()
const MOST_KNOWN = 500

function expressionOf(pattern: string): RegExp | undefined {
  if (known.has(pattern)) return known.get(pattern)
  if (known.size > MOST_KNOWN) known.clear()
  const expression = translate(pattern)
  known.set(pattern, expression)
  return expression
}

/** Brackets and repeated stars are widened: what they match is matched, and more. */
function translate(pattern: string): RegExp | undefined {
  const pieces: string[] = []
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern.charAt(at)
    if (character === '\\') pieces.push(plain(pattern.charAt(++at)))
    else if (character === '*') {
      if (pieces.at(-1) !== '.*') pieces.push('.*')
    } else if (character === '?') pieces.push('.')
    else if (character === '[') return undefined
    else pieces.push(plain(character))
  }
  // Many stars make a regular expression slow on a long name.
  if (pieces.filter((piece) => piece === '.*').length > 6) return undefined
  return new RegExp(`^${pieces.join('')}$`, 's')
}

function plain(character: string): string {
  return character.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}
