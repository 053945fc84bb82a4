/**
 * How much is known before expansion. `literal`: everything. `glob`: file names that match a pattern. `one`: one word. `open`: any
 * number of words with any content.
 */
export type WordKind = 'literal' | 'glob' | 'one' | 'open'

export interface Word {
  readonly text: string
  /** Without quotes; expansions remain as written. */
  readonly value: string
  readonly kind: WordKind
  /** The word's beginning, whatever it expands to. */
  readonly fixed: string
  /** Of a glob, with quoted characters escaped by a backslash. */
  readonly pattern?: string
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

/** Constructs that the `analysis` preset refuses, by what it calls them. */
export type Feature = 'a pipe' | 'a redirect' | 'a background command (&)' | 'more than one plain command'

/** Why a line could not be read with certainty. */
export interface Doubt {
  readonly why: string
  /** What it is about, as written. */
  readonly text: string
  /** A part of the line has not been read at all. */
  readonly unread?: true
}

export interface ParsedLine {
  /** Includes nested commands. */
  readonly commands: readonly SimpleCommand[]
  readonly features: ReadonlySet<Feature>
  /** Empty if the line was read with certainty. */
  readonly doubts: readonly Doubt[]
  /** Functions that call themselves repeatedly. */
  readonly forkBombs: readonly string[]
  /** What bash reads otherwise than dash does. */
  readonly bashWords: ReadonlySet<string>
}

export function literalWord(text: string): Word {
  return { text, value: text, kind: 'literal', fixed: text }
}

/** Any number of unknown words. */
export const unknownWords: Word = { text: '...', value: '', kind: 'open', fixed: '' }

export function knownValue(word: Word | undefined): string | undefined {
  return word?.kind === 'literal' ? word.value : undefined
}

/** Expands the home directory at the start of a path: `~/x`, `$HOME/x`, `"${HOME}/x"`. */
export function atHome({ kind, text, value }: Word, home: string): string | undefined {
  if (home === '' || kind === 'literal' || kind === 'glob') return undefined
  if (/^~(?:\/[^$`]*)?$/.test(text)) return kind === 'one' ? home + value.slice(1) : undefined
  const [, rest] = /^"?\$(?:HOME|\{HOME\})"?((?:\/[^$`*?[{"'\\]*)?)"?$/.exec(text) ?? []
  return rest === undefined ? undefined : home + rest
}

/** A command of a text or an argument vector that has words only. */
export function commandOf(text: string, words: readonly Word[]): SimpleCommand {
  return { text, assignments: [], words, redirects: [], chain: 0, required: false }
}

export function lineOf(commands: readonly SimpleCommand[], doubts: readonly Doubt[] = []): ParsedLine {
  const features = new Set<Feature>(commands.length > 1 ? ['a pipe'] : [])
  return { commands, features, doubts, forkBombs: [], bashWords: new Set() }
}
