/**
 * How much of a word is known before a shell expands it.
 * `literal`: all. `tilde`: all but the home directory it begins with. `glob`: names on disk that begin with `fixed`.
 * `brace`: words that begin with `fixed`. `quoted`: one word that begins with `fixed`. `open`: any number of words, of any content.
 */
export type WordKind = 'literal' | 'tilde' | 'glob' | 'brace' | 'quoted' | 'open'

export interface Word {
  /** As written. */
  readonly text: string
  /** Dequoted; an expansion stands as written. */
  readonly value: string
  readonly kind: WordKind
  /** What the word begins with, whatever it expands to. */
  readonly fixed: string
  /** Only for a glob: the pattern, with quoted characters escaped by a backslash. */
  readonly pattern?: string
  /** Of an open word or one with braces: it may hold a glob, so the shell looks for names. */
  readonly matching?: true
  /** What stands here comes from the program that runs the command: names that find found, or what xargs reads. */
  readonly filledBy?: 'find' | 'xargs'
}

export interface Assignment {
  readonly name: string
  readonly value: Word
}

export interface Redirect {
  readonly text: string
  readonly operator: string
  /** Absent for a here-document. */
  readonly target?: Word
}

/** One program with its arguments; without words it is only assignments or redirects. */
export interface SimpleCommand {
  readonly text: string
  readonly assignments: readonly Assignment[]
  readonly words: readonly Word[]
  readonly redirects: readonly Redirect[]
  /** The list (`a && b || c`) it stands in. */
  readonly chain: number
  /** What follows in its list runs only when it succeeds. */
  readonly gate: boolean
}

/** Constructs that the `analysis` preset refuses. */
export type Feature =
  | 'chain'
  | 'pipe'
  | 'background'
  | 'redirect'
  | 'here-document'
  | 'substitution'
  | 'expansion'
  | 'compound'

/** Why a line could not be read for certain. `text` is the place, or what the parser said. */
export interface Unsure {
  readonly kind: UnsureKind
  readonly text: string
}

export type UnsureKind =
  | 'too-long'
  | 'too-many-here-documents'
  | 'too-many-commands'
  | 'nesting'
  | 'syntax'
  | 'control-character'
  | 'not-unicode'
  | 'odd-blank'
  | 'line-continuation'
  | 'bash-only'
  | 'here-document'
  | 'parameter'
  | 'arithmetic'
  | 'substitution'
  | 'function'
  | 'descriptor'
  | 'program-name'
  | 'dynamic-script'
  | 'other-shell'
  | 'unanswered'

/** A command line, taken apart. */
export interface ParsedLine {
  /** Every simple command, wherever it stands. */
  readonly commands: readonly SimpleCommand[]
  readonly features: ReadonlySet<Feature>
  /** Empty when the line was read for certain. */
  readonly unsure: readonly Unsure[]
  /** Functions that start themselves twice. */
  readonly forkBombs: readonly string[]
}

/** A word that is exactly its text. */
export function literal(text: string): Word {
  return { text, value: text, kind: 'literal', fixed: text }
}

/** A word, or several, of which nothing is known. */
export const anything: Word = { text: '...', value: '', kind: 'open', fixed: '' }

/** What the word is, when it is known before the shell runs. */
export function known(word: Word | undefined): string | undefined {
  return word?.kind === 'literal' ? word.value : undefined
}

/** Whether the word may become no word, or several. */
export function splits({ kind }: Word): boolean {
  return kind === 'open' || kind === 'glob' || kind === 'brace'
}

/** An argument vector that runs without a shell. */
export function lineOfArgv(argv: readonly string[]): ParsedLine {
  const command: SimpleCommand = {
    text: argv.join(' '),
    assignments: [],
    words: argv.map(literal),
    redirects: [],
    chain: 0,
    gate: false,
  }
  return { commands: [command], features: new Set(), unsure: [], forkBombs: [] }
}
