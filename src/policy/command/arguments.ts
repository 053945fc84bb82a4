import { maySplit, type Word } from '../syntax/line.ts'

/** Options a program may be given, by name (`-a`, `--all`); any other option may be harmful. */
export interface OptionTable {
  readonly flags: ReadonlySet<string>
  /** The value is attached or the next word. */
  readonly valued: ReadonlySet<string>
  /** Like `valued`; the value is a path. */
  readonly files: ReadonlySet<string>
  /** Like `files`; the file lists further files. */
  readonly lists: ReadonlySet<string>
  /** The value is the next word, so the option must end its cluster: tree(1) reads `-Lo 2 file`. */
  readonly separate: ReadonlySet<string>
  /** The value is optional and attached. */
  readonly attached: ReadonlySet<string>
  /** Two words follow: a name and a value. */
  readonly pairs: ReadonlySet<string>
  /** Like `pairs`; the value is a path. */
  readonly filePairs: ReadonlySet<string>
  /** `-20` counts as a number. */
  readonly numbers: boolean
}

/** The same table as strings; `-abc` stands for `-a -b -c`. */
export type OptionNames = {
  readonly [K in keyof OptionTable]?: OptionTable[K] extends boolean ? boolean : string
}

interface GivenOption {
  readonly name: string
  readonly value?: Word
}

export type Objection =
  | { readonly kind: 'option' | 'open-word' | 'operand' | 'script' | 'form'; readonly text: string }
  /** A part of the command or, with `option`, of that option. */
  | { readonly kind: 'missing'; readonly part: string; readonly option?: string }

/** Objects to the first bad word. */
export function firstBad(words: readonly Word[], isBad: (word: Word, at: number) => boolean) {
  const bad = words.find(isBad)
  return bad && ({ kind: 'operand', text: bad.text } as const)
}

/** The parsed words after a rule's prefix. */
export interface Arguments {
  readonly options: readonly GivenOption[]
  readonly operands: readonly Word[]
  readonly words: readonly Word[]
  readonly objection?: Objection
}

export function optionTable(names: OptionNames): OptionTable {
  return {
    flags: namesOf(names.flags),
    valued: namesOf(names.valued),
    files: namesOf(names.files),
    lists: namesOf(names.lists),
    separate: namesOf(names.separate),
    attached: namesOf(names.attached),
    pairs: namesOf(names.pairs),
    filePairs: namesOf(names.filePairs),
    numbers: names.numbers ?? false,
  }
}

function namesOf(text = ''): ReadonlySet<string> {
  const tokens = text.split(/\s+/).filter((token) => token !== '')
  return new Set(
    tokens.flatMap((token) =>
      /^-[^-]/.test(token) ? [...token.slice(1)].map((letter) => `-${letter}`) : [token],
    ),
  )
}

/** Parses words by a table. If implementations differ, the reading with more options applies. */
export function readArguments(words: readonly Word[], table: OptionTable, harmless: boolean): Arguments {
  const reader = new ArgumentReader(words, table, harmless)
  while (reader.next());
  return reader
}

class ArgumentReader implements Arguments {
  readonly options: GivenOption[] = []
  readonly operands: Word[] = []
  readonly words: readonly Word[]
  objection?: Objection
  readonly #table: OptionTable
  readonly #harmless: boolean
  #at = 0
  #onlyOperands = false

  constructor(words: readonly Word[], table: OptionTable, harmless: boolean) {
    this.words = words
    this.#table = table
    this.#harmless = harmless
  }

  /** Takes one option or operand; false at the end. */
  next(): boolean {
    const word = this.words[this.#at++]
    if (!word) return false
    if (this.#onlyOperands) this.operands.push(word)
    else if (word.value === '--' && word.kind === 'literal') this.#onlyOperands = true
    else if (mayBeOption(word)) this.#open(word)
    else if (word.fixed.startsWith('--')) this.#long(word)
    else if (word.fixed.startsWith('-') && word.value !== '-') this.#cluster(word)
    else this.operands.push(word)
    return true
  }

  #object(objection: Objection): void {
    this.objection ??= objection
  }

  #takesValue(name: string): boolean {
    const { valued, files, lists } = this.#table
    return valued.has(name) || files.has(name) || lists.has(name)
  }

  #takesPair(name: string): boolean {
    return this.#table.pairs.has(name) || this.#table.filePairs.has(name)
  }

  /** A word unknown before expansion may become an option, which is harmless if all options are. */
  #open(word: Word): void {
    if (!this.#harmless) this.#object({ kind: 'open-word', text: word.text })
    this.operands.push(word)
  }

  #long(word: Word): void {
    const equals = word.fixed.indexOf('=')
    const name = equals === -1 ? word.fixed : word.fixed.slice(0, equals)
    const { flags, attached } = this.#table
    const takesValue = this.#takesValue(name)
    if (equals === -1 && word.kind !== 'literal') this.#object({ kind: 'open-word', text: word.text })
    else if (equals === -1 && this.#takesPair(name)) this.#pair(name)
    else if (equals === -1 && takesValue) this.#value(name)
    else if (equals === -1 && (flags.has(name) || attached.has(name))) this.options.push({ name })
    else if (equals !== -1 && (takesValue || attached.has(name))) this.#attached(name, word, equals + 1)
    else this.#object({ kind: 'option', text: name })
  }

  #cluster(word: Word): void {
    const text = word.fixed
    if (this.#table.numbers && /^-\d+$/.test(text) && word.kind === 'literal')
      this.options.push({ name: '-NUM' })
    else {
      let at = 1
      while (at < text.length && this.#letter(word, at)) at += 1
      if (at === text.length && word.kind !== 'literal') this.#object({ kind: 'open-word', text: word.text })
    }
  }

  /** False if the letter took the rest as its value or is unknown. */
  #letter(word: Word, at: number): boolean {
    const { flags, separate, attached } = this.#table
    const name = `-${word.fixed[at]}`
    const isLast = at === word.fixed.length - 1 && word.kind === 'literal'
    const takesRest = this.#takesValue(name) || attached.has(name)
    if (takesRest && !isLast) this.#attached(name, word, at + 1)
    else if (attached.has(name) || flags.has(name)) this.options.push({ name })
    else if (isLast && this.#takesPair(name)) this.#pair(name)
    else if (takesRest || (isLast && separate.has(name))) this.#value(name)
    else this.#object({ kind: 'option', text: word.fixed.length > 2 ? `${word.fixed} (${name})` : name })
    return flags.has(name)
  }

  /** Takes the next word as a value, which must not look like an option: `name` may be a flag elsewhere. */
  #value(name: string): void {
    const value = this.words[this.#at++]
    if (value) {
      this.options.push({ name, value })
      const dashed = value.fixed.startsWith('-') && !/^-\d/.test(value.fixed) && value.fixed !== '-'
      const open = maySplit(value) || (value.kind === 'quoted' && value.fixed === '')
      if ((dashed || open) && !this.#harmless)
        this.#object({ kind: 'open-word', text: `${name} ${value.text}` })
    } else this.#object({ kind: 'missing', part: 'value', option: name })
  }

  #attached(name: string, word: Word, from: number): void {
    this.options.push({ name, value: tailOf(word, from) })
    const several = word.kind === 'open' || word.kind === 'brace'
    if (several && !this.#harmless) this.#object({ kind: 'open-word', text: word.text })
  }

  #pair(name: string): void {
    const first = this.words[this.#at++]
    if (!first || maySplit(first)) this.#object({ kind: 'missing', part: 'name', option: name })
    else this.#value(name)
  }
}

/** True if the word may expand to an option, alone or among other words. */
function mayBeOption(word: Word): boolean {
  if (word.kind === 'open') return true
  return word.fixed === '' && word.kind !== 'literal' && word.kind !== 'tilde'
}

function tailOf(word: Word, from: number): Word {
  const cut = (text: string) => text.slice(from)
  return { ...word, value: cut(word.value), fixed: cut(word.fixed), text: cut(word.value) }
}

export function hasOption({ options }: Arguments, ...names: readonly string[]): boolean {
  return options.some(({ name }) => names.includes(name))
}
