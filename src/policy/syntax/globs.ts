/** Unsupported syntax matches. `?` is a byte in dash: for non-ASCII names it matches any text. */
export function couldMatch(pattern: string, name: string): boolean {
  const expression = expressionOf(pattern, isAscii(name) ? '.' : '.*')
  return expression === undefined || expression.test(name)
}

function isAscii(name: string): boolean {
  return /^[\0-\x7f]*$/.test(name)
}

type One = '.' | '.*'

const known = new Map<string, RegExp | undefined>()
const maxKnown = 500

function expressionOf(pattern: string, one: One): RegExp | undefined {
  const key = one + pattern
  if (known.has(key)) return known.get(key)
  if (known.size > maxKnown) known.clear()
  const expression = translate(pattern, one)
  known.set(key, expression)
  return expression
}

/** Translates conservatively: `undefined` for brackets, and repeated stars are merged. */
function translate(pattern: string, one: One): RegExp | undefined {
  const pieces: string[] = []
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern.charAt(at)
    const piece = character === '*' ? '.*' : character === '?' ? one : undefined
    if (character === '[') return undefined
    if (character === '\\') pieces.push(plain(pattern.charAt(++at)))
    else if (piece === undefined) pieces.push(plain(character))
    else if (piece === '.' || pieces.at(-1) !== '.*') pieces.push(piece)
  }
  // Many stars would make a regular expression slow on long names.
  if (pieces.filter((piece) => piece === '.*').length > 6) return undefined
  return new RegExp(`^${pieces.join('')}$`, 's')
}

function plain(character: string): string {
  return character.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}
