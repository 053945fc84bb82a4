import type { Redirection, SyntaxNode } from 'unbash'
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
  readonly value: string
  /** The glob pattern, with quoted characters escaped. */
  readonly pattern: string
}

const TILDE = /^~[A-Za-z0-9_.+-]*(?:\/|$)/
const UNQUOTED_GLOB = /(?<!\\)(?:\\\\)*[*?[]/

/** An absolute path or nothing, which no line changes unasked; behind it only a slash keeps this certain. */
const DIRECTORY = /^"\$(?:HOME|\{HOME\}|PWD|\{PWD\})(?:\/|"\/|"$)/

/** Removes quotes and records what only expansion can tell. */
export function wordOf(source: WordSource): Word {
  const pieces = source.parts ? source.parts.map(pieceOf) : [bareText(source.text, source.value)]
  const kind = kindOf(source.text, pieces)
  const end = pieces.findIndex((piece) => piece.kind !== 'literal')
  const head = kind === 'tilde' ? [] : end === -1 ? pieces : pieces.slice(0, end)
  return {
    text: source.text,
    value: source.value,
    kind,
    fixed:
      kind === 'literal' ? source.value : DIRECTORY.test(source.text) ? '/' : textBefore(head, pieces[end]),
    ...(kind === 'glob' ? { pattern: pieces.map((piece) => piece.pattern).join('') } : {}),
    ...(isMatched(kind, pieces) ? { matching: true } : {}),
  }
}

function isMatched(kind: WordKind, pieces: readonly Piece[]): boolean {
  return (kind === 'open' || kind === 'brace') && pieces.some(({ pattern }) => UNQUOTED_GLOB.test(pattern))
}

const LOOSE = /(?<!\\)(?:\\\\)*[()<>;&|"'`]/

/** True if unquoted text holds a character that ends a word in a shell, so the parser misread it. */
export function holdsOperators({ text, parts }: Pick<WordSource, 'text' | 'parts'>): boolean {
  const bare = parts ? parts.filter(({ type }) => type === 'Literal').map((part) => part.text) : [text]
  return bare.some((piece) => LOOSE.test(piece))
}

function pieceOf(part: Part): Piece {
  const { type, text, value = text } = part
  switch (type) {
    case 'Literal':
      return bareText(text, value)
    case 'Glob':
      return { kind: 'glob', value: text, pattern: text }
    case 'SingleQuoted':
      return { kind: 'literal', value, pattern: escaped(value) }
    case 'DoubleQuoted':
      return quotedPiece(part.parts ?? [])
    case 'SimpleExpansion':
      // A number: IFS holds no digit, or the line is asked about.
      return { kind: /^\$[?#]$/.test(text) ? 'quoted' : 'open', value: '', pattern: '' }
    case 'BraceExpansion':
      return { kind: /[$`*?[]/.test(text) ? 'open' : 'brace', value: '', pattern: text }
    default:
      return { kind: 'open', value: '', pattern: '' }
  }
}

/** Converts unquoted text. A bracket the parser does not mark as a glob may still be one in some shell. */
function bareText(text: string, value: string): Piece {
  const isGlob = UNQUOTED_GLOB.test(text) && text !== '['
  return { kind: isGlob ? 'glob' : 'literal', value: isGlob ? text : value, pattern: unescaped(text) }
}

function quotedPiece(parts: readonly Part[]): Piece {
  const end = parts.findIndex(({ type }) => type !== 'Literal')
  const value = (end === -1 ? parts : parts.slice(0, end)).map((part) => part.value ?? '').join('')
  // "$@" expands to one word per argument.
  const many = parts.some(({ text }) => /^\$\{?@/.test(text))
  return { kind: end === -1 ? 'literal' : many ? 'open' : 'quoted', value, pattern: escaped(value) }
}

function kindOf(text: string, pieces: readonly Piece[]): WordKind {
  const kinds = new Set(pieces.map(({ kind }) => kind))
  kinds.delete('literal')
  const home = text.startsWith('~')
  if (kinds.size === 0) return home ? (TILDE.test(text) ? 'tilde' : 'quoted') : 'literal'
  if (kinds.has('open')) return 'open'
  if (kinds.has('quoted')) return kinds.size === 1 ? 'quoted' : 'open'
  return kinds.has('brace') ? 'brace' : 'glob'
}

/** The fixed beginning: literal pieces, then text before an expansion or glob in the next piece. */
function textBefore(head: readonly Piece[], next: Piece | undefined): string {
  const certain = head.map(({ value }) => value).join('')
  if (next?.kind === 'quoted') return certain + next.value
  if (next?.kind !== 'glob') return certain
  const bare = next.value.slice(0, Math.max(0, next.value.search(/[*?[\\]/)))
  return certain + bare
}

/** Removes backslashes before characters without meaning in globs: `\/` also begins an absolute path. */
function unescaped(text: string): string {
  return text.replace(/\\(.)/gs, (pair, next: string) => ('*?[]{}~\\'.includes(next) ? pair : next))
}

function escaped(value: string): string {
  return value.replace(/[\\*?[\]{}~]/g, '\\$&')
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

type Condition = Extract<SyntaxNode, { type: 'TestCommand' }>['expression']

/** With one operator. `undefined` for several, and for `<` and `>`, which dash reads as redirects. */
export function conditionWords(condition: Condition): readonly Word[] | undefined {
  switch (condition.type) {
    case 'TestUnary':
      return [literalWord(condition.operator), wordOf(condition.operand)]
    case 'TestBinary': {
      const { left, operator, right } = condition
      return operator === '<' || operator === '>'
        ? undefined
        : [wordOf(left), literalWord(operator), wordOf(right)]
    }
    case 'TestNot': {
      const inner = condition.negations.length === 1 ? conditionWords(condition.operand) : undefined
      return inner && [literalWord('!'), ...inner]
    }
    default:
      return undefined
  }
}
