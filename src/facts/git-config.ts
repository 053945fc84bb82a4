import type { ConfigEntry } from './facts.ts'

/** As git's config.c parses (get_base_var, get_value, parse_value). Undefined: git would refuse it. */
export function parseGitConfig(text: string): readonly ConfigEntry[] | undefined {
  const reader = new ConfigReader(text)
  return reader.read() ? reader.entries : undefined
}

/** Whether an entry includes another file, under any condition. */
export function isInclude({ key }: ConfigEntry): boolean {
  return /^include(?:if\..*)?\.path$/s.test(key)
}

const SPACE = /[ \t\n\v\f\r]/
const NAME = /[A-Za-z0-9-]/

class ConfigReader {
  readonly entries: ConfigEntry[] = []
  readonly #text: string
  #at = 0
  #section = ''

  constructor(text: string) {
    // git-config(1): a byte order mark is skipped; CRLF ends a line.
    this.#text = text.replace(/^\u{feff}/u, '').replaceAll('\r\n', '\n')
  }

  read(): boolean {
    while (this.#at < this.#text.length) {
      const character = this.#next()
      if (SPACE.test(character)) continue
      if (character === '#' || character === ';') this.#toLineEnd()
      else if (character === '[') {
        if (!this.#header()) return false
      } else if (!/[A-Za-z]/.test(character) || !this.#entry(character)) return false
    }
    return true
  }

  #next(): string {
    return this.#text.charAt(this.#at++)
  }

  #toLineEnd(): void {
    const end = this.#text.indexOf('\n', this.#at)
    this.#at = end === -1 ? this.#text.length : end + 1
  }

  /** `[section]`, `[section "subsection"]`, `[section.subsection]`. */
  #header(): boolean {
    let name = ''
    for (;;) {
      const character = this.#next()
      if (character === ']') break
      if (character === ' ' || character === '\t') return this.#subsection(name)
      if (character === '' || !(NAME.test(character) || character === '.')) return false
      name += character.toLowerCase()
    }
    this.#section = name
    return true
  }

  #subsection(section: string): boolean {
    let character = this.#next()
    while (character === ' ' || character === '\t') character = this.#next()
    if (character !== '"') return false
    let name = ''
    for (character = this.#next(); character !== '"'; character = this.#next()) {
      if (character === '' || character === '\n') return false
      name += character === '\\' ? this.#next() : character
    }
    this.#section = `${section}.${name}`
    return this.#next() === ']'
  }

  #entry(first: string): boolean {
    let name = first.toLowerCase()
    let character = this.#next()
    for (; NAME.test(character) && character !== ''; character = this.#next()) name += character.toLowerCase()
    while (character === ' ' || character === '\t') character = this.#next()
    const key = this.#section === '' ? name : `${this.#section}.${name}`
    if (character === '' || character === '\n') {
      this.entries.push({ key, value: 'true' })
      return true
    }
    if (character !== '=') return false
    const value = this.#value()
    if (value === undefined) return false
    this.entries.push({ key, value })
    return true
  }

  /** Reads to the end of the line; a backslash there continues it, quotes keep blanks and comment signs. */
  #value(): string | undefined {
    let value = ''
    let blanks = ''
    let quoted = false
    for (;;) {
      const character = this.#next()
      if (character === '' || character === '\n') return quoted ? undefined : value
      if (SPACE.test(character) && !quoted) {
        if (value !== '') blanks += character
      } else if (!quoted && (character === '#' || character === ';')) {
        this.#toLineEnd()
        return value
      } else if (character === '"') quoted = !quoted
      else {
        const plain = character === '\\' ? escapes[this.#next()] : character
        if (plain === undefined) return undefined
        value += blanks + plain
        blanks = ''
      }
    }
  }
}

const escapes: Readonly<Record<string, string>> = {
  '\n': '',
  t: '\t',
  b: '\b',
  n: '\n',
  '\\': '\\',
  '"': '"',
}
