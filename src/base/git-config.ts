/** Section and name are in lower case; a subsection is as written. */
export interface ConfigEntry {
  readonly key: string
  /** `true` for an entry without `=`. */
  readonly value: string
}

/**
 * As git's config.c parses (git_parse_source and what it calls), of text or of bytes as latin1. Undefined: git refuses it. Blanks
 * within a value stay as written; before 2.45 git made spaces of them.
 */
export function parseGitConfig(text: string): readonly ConfigEntry[] | undefined {
  const reader = new ConfigReader(text)
  return reader.read() ? reader.entries : undefined
}

/** Whether an entry includes another file, under any condition. */
export function isInclude({ key }: ConfigEntry): boolean {
  return /^include(?:if\..*)?\.path$/s.test(key)
}

/** git-compat-util.h (GIT_SPACE): neither vertical tab nor form feed. */
const SPACE = /[ \t\n\r]/
const NAME = /[A-Za-z0-9-]/

class ConfigReader {
  readonly entries: ConfigEntry[] = []
  readonly #text: string
  #at = 0
  #section = ''

  constructor(text: string) {
    // git-config(1): a byte order mark is skipped; CRLF ends a line.
    this.#text = text.replace(/^(?:\u{feff}|\xef\xbb\xbf)/u, '').replaceAll('\r\n', '\n')
  }

  read(): boolean {
    while (!this.#isOver()) {
      const character = this.#next()
      if (SPACE.test(character)) continue
      if (character === '#' || character === ';') this.#toLineEnd()
      else if (character === '[') {
        if (!this.#header()) return false
      } else if (!/[A-Za-z]/.test(character) || !this.#entry(character)) return false
    }
    return true
  }

  #isOver(): boolean {
    return this.#at >= this.#text.length
  }

  /** The end of the text ends a line, too: there `get_next_char` returns a newline each time. */
  #next(): string {
    return this.#text[this.#at++] ?? '\n'
  }

  #toLineEnd(): void {
    const end = this.#text.indexOf('\n', this.#at)
    this.#at = end === -1 ? this.#text.length : end + 1
  }

  /** `[section]`, `[section "subsection"]`, `[section.subsection]`. */
  #header(): boolean {
    let name = ''
    for (;;) {
      if (this.#isOver()) return false
      const character = this.#next()
      if (character === ']') break
      if (SPACE.test(character)) return this.#subsection(name, character)
      if (!NAME.test(character) && character !== '.') return false
      name += character.toLowerCase()
    }
    this.#section = name
    return name !== ''
  }

  #subsection(section: string, blank: string): boolean {
    let character = blank
    do {
      if (character === '\n') return false
      character = this.#next()
    } while (SPACE.test(character))
    if (character !== '"') return false
    let name = ''
    for (character = this.#next(); character !== '"'; character = this.#next()) {
      if (character === '\\') character = this.#next()
      if (character === '\n') return false
      name += character
    }
    this.#section = `${section}.${name}`
    return this.#next() === ']'
  }

  #entry(first: string): boolean {
    let name = first.toLowerCase()
    let character = this.#next()
    for (; NAME.test(character); character = this.#next()) name += character.toLowerCase()
    while (character === ' ' || character === '\t') character = this.#next()
    const key = this.#section === '' ? name : `${this.#section}.${name}`
    if (character === '\n') {
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
      if (character === '\n') return quoted ? undefined : value
      if (SPACE.test(character) && !quoted) {
        if (value + blanks !== '') blanks += character
        continue
      }
      if (!quoted && (character === '#' || character === ';')) {
        this.#toLineEnd()
        return value
      }
      // Quotes and continued lines keep the blanks before them, even if nothing follows.
      value += blanks
      blanks = ''
      if (character === '"') quoted = !quoted
      else {
        const plain = character === '\\' ? escapes[this.#next()] : character
        if (plain === undefined) return undefined
        value += plain
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
