import { types } from 'node:util'

const BARE_KEY = /^[A-Za-z0-9_-]+$/
// Controls and format characters (bidi marks among them) can change what a terminal shows around them.
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/** Spells a value as it would stand in a TOML file, on one line, safe to print. */
export function tomlText(value: unknown): string {
  if (typeof value === 'string') return quoted(value)
  if (Array.isArray(value)) return `[${value.map(tomlText).join(', ')}]`
  if (types.isDate(value)) return value.toISOString()
  if (typeof value === 'object' && value !== null) return tableText(value)
  return String(value)
}

/** Replaces what a terminal would obey instead of show; a tab stays. */
export function printable(text: string): string {
  return text.replace(INVISIBLE, (character) => (character === '\t' ? '\t' : '\u{fffd}'))
}

function tableText(table: object): string {
  const pairs = Object.entries(table).map(([name, value]) => {
    return `${BARE_KEY.test(name) ? name : quoted(name)} = ${tomlText(value)}`
  })
  return pairs.length === 0 ? '{}' : `{ ${pairs.join(', ')} }`
}

function quoted(text: string): string {
  return JSON.stringify(text).replace(INVISIBLE, escaped)
}

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0
  return code > 0xffff ? `\\U${hex(code, 8)}` : `\\u${hex(code, 4)}`
}

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, '0')
}
