/** Section and name are in lower case; a subsection is as written. */
export interface ConfigEntry {
  readonly key: string
  /** `true` for an entry without `=`. */
  readonly value: string
}

/** Blanks are those of git-compat-util.h (GIT_SPACE): neither vertical tab nor form feed. */
const skipped = /[ \t\n\r]+|[#;][^\n]*/y
/** `[section]`, `[section.subsection]`, `[section "subsection"]`. */
const header = /\[([A-Za-z0-9.-]+)\]|\[([A-Za-z0-9.-]*)[ \t\r]+"((?:\\[^\n]|[^"\\\n])*)"\]/y
const name = /([A-Za-z][A-Za-z0-9-]*)[ \t]*(?:(=)|(?=\n)|$)/y
const partOfValue = /[ \t\r]+|"|\\(?:.|$)|[#;]|[^ \t\r\n"\\#;]+/sy
const restOfLine = /[^\n]*/y

/** What a backslash and these stand for; at the end of a line it continues the value. */
const escapes: Readonly<Record<string, string>> = {
  ...{ '\\': '', '\\\n': '', '\\t': '\t', '\\b': '\b', '\\n': '\n' },
  ...{ '\\\\': '\\', '\\"': '"' },
}

/**
 * As git's config.c parses (git_parse_source and what it calls), of text or of bytes as latin1. Undefined: git refuses it. Blanks
 * within a value stay as written; before 2.45 git made spaces of them.
 */
export function parseGitConfig(text: string): readonly ConfigEntry[] | undefined {
  const reader = new Reader(text)
  const entries: ConfigEntry[] = []
  for (let section = ''; !reader.isOver(); ) {
    if (reader.take(skipped)) continue
    const found = reader.take(header)
    if (found) {
      section = `${sectionOf(found)}.`
      continue
    }
    const [, key = '', equals] = reader.take(name) ?? []
    const value = equals === undefined ? 'true' : valueIn(reader)
    if (key === '' || value === undefined) return undefined
    entries.push({ key: section + key.toLowerCase(), value })
  }
  return entries
}

/** Whether an entry includes another file, under any condition. */
export function isInclude({ key }: ConfigEntry): boolean {
  return /^include(?:if\..*)?\.path$/s.test(key)
}

class Reader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    // git-config(1): a byte order mark is skipped; CRLF ends a line.
    this.#text = text.replace(/^(?:\u{feff}|\xef\xbb\xbf)/u, '').replaceAll('\r\n', '\n')
  }

  isOver(): boolean {
    return this.#at >= this.#text.length
  }

  /** @param pattern sticky, and not empty */
  take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)
    if (found) this.#at = pattern.lastIndex
    return found
  }
}

function sectionOf([, plain, section = '', subsection = '']: RegExpExecArray): string {
  if (plain !== undefined) return plain.toLowerCase()
  return `${section.toLowerCase()}.${subsection.replaceAll(/\\(.)/gs, '$1')}`
}

/** To the end of the line. Quotes keep blanks and comment signs. */
function valueIn(reader: Reader): string | undefined {
  let [value, blanks, isQuoted] = ['', '', false]
  for (let part = reader.take(partOfValue)?.[0]; part; part = reader.take(partOfValue)?.[0]) {
    if (!isQuoted && /^[ \t\r]/.test(part)) {
      if (value + blanks !== '') blanks += part
    } else if (!isQuoted && /^[#;]/.test(part)) {
      reader.take(restOfLine)
      return value
    } else {
      // Quotes and continued lines keep the blanks before them, even if nothing follows.
      value += blanks
      blanks = ''
      if (part === '"') isQuoted = !isQuoted
      else if (!part.startsWith('\\')) value += part
      else if (escapes[part] === undefined) return undefined
      else value += escapes[part]
    }
  }
  return isQuoted ? undefined : value
}
