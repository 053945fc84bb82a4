import type { Redirection } from 'unbash'
import { type Assignment, literalWord, type Redirect, type Word, type WordKind } from './line.ts'

interface Part {
  readonly type: string
  readonly text: string
  readonly value?: string
  readonly parts?: readonly Part[] | undefined
}

interface WordSource {
  readonly text: string
  readonly value: string
  readonly parts?: readonly Part[] | undefined
}

/** An array has no text and makes the line unsure anyway. */
interface AssignmentSource {
  readonly type: 'Assignment'
  readonly text: string
  readonly name: string
  readonly value: (WordSource & { readonly type: 'Word' }) | { readonly type: 'ArrayValue' }
}

interface Piece {
  readonly kind: WordKind
  /** What it begins with, whatever it expands to. */
  readonly fixed: string
  /** The glob pattern, with quoted characters escaped. */
  readonly pattern: string
}

const unknown: Piece = { kind: 'open', fixed: '', pattern: '' }

/** Removes quotes and records what only expansion can tell. */
export function wordOf({ text, value, parts }: WordSource): Word {
  const pieces = parts ? parts.map(pieceOf) : [bareText(text, value)]
  const kind = kindOf(text, pieces)
  if (kind === 'literal') return { text, value, kind, fixed: value }
  const end = pieces.findIndex((piece) => piece.kind !== 'literal')
  const begin = pieces.slice(0, end + 1).map((piece) => piece.fixed)
  const fixed = text.startsWith('~') ? (/^~(?:\/|$)/.test(text) ? '/' : '') : begin.join('')
  if (kind !== 'glob') return { text, value, kind, fixed }
  return { text, value, kind, fixed, pattern: pieces.map(({ pattern }) => pattern).join('') }
}

function kindOf(text: string, pieces: readonly Piece[]): WordKind {
  const kinds = new Set(pieces.map(({ kind }) => kind))
  kinds.delete('literal')
  if (kinds.size === 0) return text.startsWith('~') ? 'one' : 'literal'
  const [only = 'open'] = kinds
  return kinds.size === 1 ? only : 'open'
}

function pieceOf({ type, text, value = text, parts = [] }: Part): Piece {
  switch (type) {
    case 'Literal':
      return bareText(text, value)
    case 'Glob':
      return { kind: 'glob', fixed: '', pattern: text }
    case 'SingleQuoted':
      return { kind: 'literal', fixed: value, pattern: escaped(value) }
    case 'DoubleQuoted':
      return quotedPiece(parts)
    case 'SimpleExpansion':
      // A number: IFS holds no digit, or the line is asked about.
      return /^\$[?#]$/.test(text) ? { ...unknown, kind: 'one' } : unknown
    default:
      return unknown
  }
}

/** Converts unquoted text. A bracket the parser does not mark as a glob may still be one in some shell. */
function bareText(text: string, value: string): Piece {
  // Backslashes before characters without meaning in globs go: `\/` also begins an absolute path.
  const pattern = text.replace(/\\(.)/gs, (pair, next: string) => ('*?[]{}~\\'.includes(next) ? pair : next))
  const isGlob = /(?<!\\)(?:\\\\)*[*?[]/.test(text) && text !== '['
  if (!isGlob) return { kind: 'literal', fixed: value, pattern }
  return { kind: 'glob', fixed: text.slice(0, text.search(/[*?[\\]/)), pattern }
}

function quotedPiece(parts: readonly Part[]): Piece {
  const end = parts.findIndex(({ type }) => type !== 'Literal')
  const fixed = (end === -1 ? parts : parts.slice(0, end)).map((part) => part.value ?? '').join('')
  // "$@" expands to one word per argument.
  const many = parts.some(({ text }) => /^\$\{?@/.test(text))
  return { kind: end === -1 ? 'literal' : many ? 'open' : 'one', fixed, pattern: escaped(fixed) }
}

function escaped(value: string): string {
  return value.replace(/[\\*?[\]{}~]/g, '\\$&')
}

/** True if unquoted text holds a character that ends a word in a shell, so the parser misread it. */
export function holdsOperators({ text, parts }: Pick<WordSource, 'text' | 'parts'>): boolean {
  const bare = parts ? parts.filter(({ type }) => type === 'Literal').map((part) => part.text) : [text]
  return bare.some((piece) => /(?<!\\)(?:\\\\)*[()<>;&|"'`]/.test(piece))
}

export function assignmentOf({ name, value }: AssignmentSource): Assignment {
  return { name, value: value.type === 'Word' ? wordOf(value) : literalWord('') }
}

/** The assignment in `export A=b` is an ordinary argument. */
export function argumentOf(source: AssignmentSource | (WordSource & { readonly type: 'Word' })): Word {
  if (source.type === 'Word') return wordOf(source)
  const { name, value } = assignmentOf(source)
  return { ...value, text: source.text, value: `${name}=${value.value}`, fixed: `${name}=${value.fixed}` }
}

export function redirectOf(source: string): (node: Redirection) => Redirect {
  return (node) => ({
    text: source.slice(node.pos, node.end),
    operator: node.operator,
    ...('target' in node && node.target ? { target: wordOf(node.target) } : {}),
  })
}
