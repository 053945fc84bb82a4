interface Member {
  readonly key: string
  readonly value: Node
}

/** A value's position in the text: `[start, end)`. */
interface Node {
  readonly start: number
  readonly end: number
  /** Only for an object. */
  readonly members?: readonly Member[]
}

/** JSON that cannot be edited. The message says where. */
export class NotJson extends Error {}

/**
 * Sets `[parent, name]` to `entry` in a JSON text that may have comments and trailing commas, and keeps every
 * other byte. An empty text counts as `{}`. Throws NotJson.
 */
export function withEntry(text: string, parent: string, name: string, entry: unknown): string {
  if (text.trim() === '') return `${JSON.stringify({ [parent]: { [name]: entry } }, null, 2)}\n`
  const root = new Reader(text).document()
  const holder = valueAt(root, parent)
  if (!holder) return inserted(text, root, parent, { [name]: entry })
  if (!holder.members) throw new NotJson(`"${parent}" is no object`)
  const old = valueAt(holder, name)
  if (!old) return inserted(text, holder, name, entry)
  return text.slice(0, old.start) + indented(entry, indentAt(text, old.start)) + text.slice(old.end)
}

/** Parses JSON that may have comments and trailing commas. Throws NotJson. */
export function parseJsonc(text: string): unknown {
  const reader = new Reader(text)
  if (text.trim() === '') return {}
  reader.document()
  return JSON.parse(reader.plain)
}

function valueAt({ members }: Node, key: string): Node | undefined {
  if (!members) throw new NotJson('it does not hold an object')
  // The last one counts, as in JSON.parse.
  return members.findLast((member) => member.key === key)?.value
}

/** Inserts a first member: after the brace no preceding comma is needed. */
function inserted(text: string, { start, members = [] }: Node, key: string, value: unknown): string {
  const outer = indentAt(text, start)
  const inner = `${outer}${unitOf(text)}`
  const member = `\n${inner}${JSON.stringify(key)}: ${indented(value, inner)}`
  const after = members.length > 0 ? ',' : `\n${outer}`
  return `${text.slice(0, start + 1)}${member}${after}${text.slice(start + 1)}`
}

function indented(value: unknown, indent: string): string {
  return JSON.stringify(value, null, 2).replaceAll('\n', `\n${indent}`)
}

function indentAt(text: string, position: number): string {
  const line = text.slice(text.lastIndexOf('\n', position - 1) + 1, position)
  return /^[ \t]*/.exec(line)?.[0] ?? ''
}

/** The text's indentation per level. */
function unitOf(text: string): string {
  return /\n([ \t]+)\S/.exec(text)?.[1] ?? '  '
}

/** Parses JSON with comments and records positions. */
class Reader {
  readonly #text: string
  #at = 0
  #plain = ''

  constructor(text: string) {
    this.#text = text
  }

  /** The text as plain JSON, once `document` was called. */
  get plain(): string {
    return this.#plain
  }

  document(): Node {
    // A byte order mark is not white space in JSON.
    if (this.#text.startsWith('\uFEFF')) this.#at = 1
    this.#skip()
    const root = this.#value()
    this.#skip()
    if (this.#at < this.#text.length) this.#fail('something stands behind the end')
    return root
  }

  #value(): Node {
    const start = this.#at
    const first = this.#text[start]
    if (first === '{') return { start, members: this.#object(), end: this.#at }
    if (first === '[') this.#array()
    else if (first === '"') this.#string()
    else this.#word()
    return { start, end: this.#at }
  }

  #object(): Member[] {
    const members: Member[] = []
    this.#list('{', '}', () => {
      const key = this.#string()
      this.#skip()
      this.#take(':')
      this.#skip()
      members.push({ key, value: this.#value() })
    })
    return members
  }

  #array(): void {
    this.#list('[', ']', () => this.#value())
  }

  #list(open: string, close: string, item: () => void): void {
    this.#take(open)
    for (let first = true; ; first = false) {
      this.#skip()
      if (this.#text[this.#at] === close) break
      if (!first) this.#plain += ','
      item()
      this.#skip()
      if (this.#text[this.#at] === close) break
      if (this.#text[this.#at] !== ',') this.#fail(`"," or "${close}" is missing`)
      this.#at++
    }
    this.#take(close)
  }

  #string(): string {
    const match = /"(?:[^"\\\n]|\\.)*"/y
    match.lastIndex = this.#at
    const [raw] = match.exec(this.#text) ?? this.#fail('a string is missing')
    this.#at += raw.length
    this.#plain += raw
    try {
      return JSON.parse(raw) as string
    } catch {
      return this.#fail('a string is wrong')
    }
  }

  #word(): void {
    const match = /true|false|null|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y
    match.lastIndex = this.#at
    const [raw] = match.exec(this.#text) ?? this.#fail('a value is missing')
    this.#at += raw.length
    this.#plain += raw
  }

  #take(character: string): void {
    if (this.#text[this.#at] !== character) this.#fail(`"${character}" is missing`)
    this.#at++
    this.#plain += character
  }

  /** Skips white space and comments. */
  #skip(): void {
    const match = /(?:\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/y
    match.lastIndex = this.#at
    this.#at += match.exec(this.#text)?.[0].length ?? 0
  }

  #fail(what: string): never {
    const line = this.#text.slice(0, this.#at).split('\n').length
    throw new NotJson(`line ${line}: ${what}`)
  }
}
