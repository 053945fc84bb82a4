/**
 * How much is known before expansion. `literal`: everything. `tilde`: all but the leading home directory.
 * `glob`: file names that begin with `fixed`. `brace`: words that begin with `fixed`. `quoted`: one word that
 * begins with `fixed`. `open`: any number of words with any content.
 */
export type WordKind = 'literal' | 'tilde' | 'glob' | 'brace' | 'quoted' | 'open'

export interface Word {
  readonly text: string
  /** Without quotes; expansions remain as written. */
  readonly value: string
  readonly kind: WordKind
  /** The word's beginning, whatever it expands to. */
  readonly fixed: string
  /** The pattern of a glob, with quoted characters escaped by a backslash. */
  readonly pattern?: string
  /** An open word or one with braces may hold a glob, so the shell searches for names. */
  readonly matching?: true
  /** The program that runs the command fills this in: find with names it finds, xargs with its input. */
  readonly filledBy?: 'find' | 'xargs'
}

export interface Assignment {
  readonly name: string
  readonly value: Word
}

export interface Redirect {
  readonly text: string
  readonly operator: string
  readonly target?: Word
}

/** A program with arguments; without words, only assignments or redirects. */
export interface SimpleCommand {
  readonly text: string
  readonly assignments: readonly Assignment[]
  readonly words: readonly Word[]
  readonly redirects: readonly Redirect[]
  /** The number of the containing list (`a && b || c`). */
  readonly chain: number
  /** True if the rest of its list runs only on success. */
  readonly required: boolean
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

/** Why a line could not be read with certainty. `text` is the source text or the parser's message. */
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
  | 'unknown-shell'
  | 'unanswered'

export interface ParsedLine {
  /** Includes nested commands. */
  readonly commands: readonly SimpleCommand[]
  readonly features: ReadonlySet<Feature>
  /** Empty if the line was read with certainty. */
  readonly unsure: readonly Unsure[]
  /** Functions that call themselves repeatedly. */
  readonly forkBombs: readonly string[]
}

export function literalWord(text: string): Word {
  return { text, value: text, kind: 'literal', fixed: text }
}

/** Any number of unknown words. */
export const unknownWords: Word = { text: '...', value: '', kind: 'open', fixed: '' }

export function knownValue(word: Word | undefined): string | undefined {
  return word?.kind === 'literal' ? word.value : undefined
}

/** True if the word may expand to any number of words but one. */
export function maySplit({ kind }: Word): boolean {
  return kind === 'open' || kind === 'glob' || kind === 'brace'
}

/** Expands the home directory at the start of a path: `~/x`, `$HOME/x`, `"${HOME}/x"`. */
export function atHome({ kind, value, text }: Word, home: string): string | undefined {
  if (home === '' || kind === 'literal') return undefined
  if (kind === 'tilde' && /^~(?:\/|$)/.test(value)) return home + value.slice(1)
  const [, rest] = /^"?\$(?:HOME|\{HOME\})"?((?:\/[^$`*?[{"'\\]*)?)"?$/.exec(text) ?? []
  return rest === undefined ? undefined : home + rest
}

export function lineOfArgv(argv: readonly string[]): ParsedLine {
  const command: SimpleCommand = {
    text: argv.join(' '),
    assignments: [],
    words: argv.map(literalWord),
    redirects: [],
    chain: 0,
    required: false,
  }
  return { commands: [command], features: new Set(), unsure: [], forkBombs: [] }
}
