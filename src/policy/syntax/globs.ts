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
  const key = `${one} ${pattern}`
  if (known.has(key)) return known.get(key)
  if (known.size > maxKnown) known.clear()
  const expression = translate(pattern, one)
  known.set(key, expression)
  return expression
}

const maxStars = 100

/** Translates conservatively: `undefined` for brackets and very many stars. */
function translate(pattern: string, one: One): RegExp | undefined {
  // The text between stars.
  const parts = ['']
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern.charAt(at)
    const piece = character === '*' ? '.*' : character === '?' ? one : undefined
    if (character === '[') return undefined
    if (piece === '.*') parts.push('')
    else parts.push(parts.pop() + (piece ?? plain(character === '\\' ? pattern.charAt(++at) : character)))
  }
  const [first = '', ...others] = parts
  const last = others.pop()
  const middle = others.filter((part) => part !== '')
  if (middle.length > maxStars) return undefined
  // The first match of each part is enough. A lookahead does not backtrack: the time is not exponential in the number of stars.
  const found = middle.map((part, at) => `(?=(.*?${part}))(?:\\${at + 1})`)
  return new RegExp(`^${first}${found.join('')}${last === undefined ? '' : `.*${last}`}$`, 's')
}

function plain(character: string): string {
  return character.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}
