import { type Arguments, hasOption, type Objection } from '../command/arguments.ts'
import { knownValue } from '../syntax/line.ts'

/** Allows sed only with known scripts that neither write, read files nor run programs. */
export function checkSed(given: Arguments): Objection | undefined {
  const named = given.options
    .filter(({ name }) => name === '-e' || name === '--expression')
    .map(({ value }) => value)
  const scripts = named.length > 0 ? named : given.operands.slice(0, 1)
  if (scripts.length === 0)
    return hasOption(given, '--version', '--help') ? undefined : { kind: 'missing', part: 'script' }
  const texts = scripts.map(knownValue)
  const open = scripts.find((_, index) => texts[index] === undefined)
  if (open) return { kind: 'open-word', text: open.text }
  const script = texts.join('\n')
  return new SedScript(script).isHarmless() ? undefined : { kind: 'script', text: script }
}

/** Commands without arguments that print, or work on the two buffers (sed(1), SYNOPSIS). */
const plainCommands = new Set([...'{}=dDgGhHnNpPxz'])

/** Parses the harmless subset of GNU sed; where BSD sed parses further than GNU, it finds only text. */
class SedScript {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  isHarmless(): boolean {
    for (;;) {
      this.#skip(/[\s;]*/y)
      if (this.#at === this.#text.length) return true
      if (this.#text.charAt(this.#at) === '#') this.#skip(/[^\n]*/y)
      else if (!this.#addresses() || !this.#command()) return false
    }
  }

  #skip(pattern: RegExp): string {
    pattern.lastIndex = this.#at
    const [found = ''] = pattern.exec(this.#text) ?? []
    this.#at += found.length
    return found
  }

  #addresses(): boolean {
    if (!this.#address()) return false
    this.#skip(/[ \t]*/y)
    if (this.#skip(/,/y) !== '') {
      this.#skip(/[ \t]*/y)
      if (this.#skip(/[+~]\d+/y) === '' && !this.#address()) return false
    }
    this.#skip(/[ \t]*(?:![ \t]*)*/y)
    return true
  }

  #address(): boolean {
    if (this.#skip(/\d+(?:~\d+)?|\$/y) !== '') return true
    const start = this.#skip(/\/|\\[^\n\\]/y)
    if (start === '') return true
    if (!this.#section(start.slice(-1), true)) return false
    this.#skip(/[IM]*/y)
    return true
  }

  #command(): boolean {
    const name = this.#text.charAt(this.#at++)
    if (plainCommands.has(name)) return true
    // GNU sed prints the rest of the line; BSD sed wants a backslash, behind which lines are checked as commands.
    if (name === 'a' || name === 'i' || name === 'c') return this.#skip(/[ \t]*[^\s\\][^\n]*/y) !== ''
    if (name === 's') return this.#substitute()
    if (name === 'y') return this.#sections(false)
    if (name === 'q' || name === 'Q' || name === 'l') return this.#skip(/[ \t]*\d*/y) !== 'never'
    // GNU ends a label at a semicolon, BSD at the end of the line; the text after it is checked as commands.
    if (name === ':' || name === 'b' || name === 't' || name === 'T')
      return this.#skip(/[ \t]*[A-Za-z0-9_]*/y) !== 'never'
    return false
  }

  /** The flag `e` runs the result, `w` writes it; `m` only affects the regular expression. */
  #substitute(): boolean {
    if (!this.#sections(true)) return false
    this.#skip(/[gpiImM0-9]*/y)
    return /^[ \t]*(?:[;}#\n]|$)/.test(this.#text.slice(this.#at))
  }

  #sections(isExpression: boolean): boolean {
    const delimiter = this.#text.charAt(this.#at++)
    if (!/^[^\s\\A-Za-z0-9]$/.test(delimiter)) return false
    return this.#section(delimiter, isExpression) && this.#section(delimiter, false)
  }

  /** BSD sed ignores delimiters inside brackets, GNU sed does not: such a script is rejected. */
  #section(delimiter: string, isExpression: boolean): boolean {
    const from = this.#at
    for (; this.#at < this.#text.length; this.#at++) {
      const character = this.#text.charAt(this.#at)
      if (character === '\\') this.#at += 1
      else if (character === delimiter) {
        const section = this.#text.slice(from, this.#at++)
        return !isExpression || !openBracket(section)
      }
    }
    return false
  }
}

/** True if a bracket could hold a delimiter or is ambiguous. */
function openBracket(section: string): boolean {
  const rest = section.replace(/\\[\s\S]|\[\^?(?:[^\][\\]|\[:[a-z]+:\])+\]/g, '')
  return rest.includes('[')
}
