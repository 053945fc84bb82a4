import { types } from 'node:util'
import type { AST } from 'toml-eslint-parser'

/** Names of tables and keys, indices of lists. */
export type KeyPath = readonly (string | number)[]

/** Counted from 1. */
export interface TextPosition {
  readonly line: number
  readonly column: number
  /** Column after the last character. */
  readonly end: number
}

/** Where a key, table or list entry has its name and its value. */
interface Node {
  readonly path: KeyPath
  readonly name: AST.SourceLocation
  readonly value: AST.SourceLocation
}

const maxLineWidth = 120
// The deepest value is a word of a rule, policy.rule[0].prefix[0]; a hostile file may nest without limit.
const maxDepth = 5

/** The place of a path, or of the nearest table around it; undefined when the text cannot be searched. */
export type FindPosition = (path: KeyPath, part: 'name' | 'value') => TextPosition | undefined

/** The text must be valid TOML. */
export async function positionFinder(text: string): Promise<FindPosition> {
  const nodes = new Map<string, Node>()
  for (const node of await nodesOfDocument(text)) {
    const id = JSON.stringify(node.path)
    // A table can be opened several times; readers expect the first.
    if (!nodes.has(id)) nodes.set(id, node)
  }
  return (path, part) => {
    for (let length = path.length; length > 0; length--) {
      const node = nodes.get(JSON.stringify(path.slice(0, length)))
      if (node) return placeOf(text, length === path.length ? node[part] : node.name)
    }
    return undefined
  }
}

async function nodesOfDocument(text: string): Promise<Iterable<Node>> {
  const { parseTOML } = await import('toml-eslint-parser')
  try {
    return nodesOf(parseTOML(text).body[0].body, [])
  } catch (error) {
    // toml-eslint-parser throws RangeError for very long strings, and may refuse what smol-toml accepts. Only
    // the place of the fault is missing then.
    if (['RangeError', 'SyntaxError'].includes(Object(error).name)) return []
    throw error
  }
}

/** The line with carets below the place, ready to print. */
export function excerptOf(text: string, { line, column, end }: TextPosition): string {
  const whole = lineOf(text, line)
  const cut = Math.max(0, column - 1 - maxLineWidth / 2)
  const shown = printable(whole.slice(cut, cut + maxLineWidth))
  const gap = shown.slice(0, column - 1 - cut).replace(/[^\t]/g, ' ')
  const width = Math.max(1, Math.min(end - column, shown.length - gap.length))
  const number = String(line)
  return `${number} | ${shown}\n${' '.repeat(number.length)} | ${gap}${'^'.repeat(width)}`
}

/** `base`: the path of the table that holds the parts. */
function* nodesOf(parts: readonly (AST.TOMLKeyValue | AST.TOMLTable)[], base: KeyPath): Generator<Node> {
  for (const part of parts) {
    const names = [...part.key.keys]
    const path = part.type === 'TOMLTable' ? part.resolvedKey : [...base, ...names.map(nameOf)]
    for (const [at, step] of path.slice(0, maxDepth).entries()) {
      if (at < base.length) continue
      const name = (typeof step === 'string' ? names.shift()?.loc : undefined) ?? part.key.loc
      const isValue = part.type === 'TOMLKeyValue' && at === path.length - 1
      yield { path: path.slice(0, at + 1), name, value: isValue ? part.value.loc : name }
    }
    if (part.type === 'TOMLTable') yield* nodesOf(part.body, path)
    else yield* nodesInValue(part.value, path)
  }
}

function nameOf(part: AST.TOMLBare | AST.TOMLQuoted): string {
  return part.type === 'TOMLBare' ? part.name : part.value
}

function* nodesInValue(value: AST.TOMLContentNode, path: KeyPath): Generator<Node> {
  if (path.length >= maxDepth) return
  if (value.type === 'TOMLInlineTable') yield* nodesOf(value.body, path)
  if (value.type !== 'TOMLArray') return
  for (const [index, element] of value.elements.entries()) {
    yield { path: [...path, index], name: element.loc, value: element.loc }
    yield* nodesInValue(element, [...path, index])
  }
}

function placeOf(text: string, { start, end }: AST.SourceLocation): TextPosition {
  const lastColumn = end.line === start.line ? end.column : lineOf(text, start.line).length
  return { line: start.line, column: start.column + 1, end: lastColumn + 1 }
}

function lineOf(text: string, line: number): string {
  return text.split(/\r?\n/)[line - 1] ?? ''
}

/** Formats a value in TOML syntax, on one line and safe to print. */
export function tomlText(value: unknown): string {
  if (typeof value === 'string') return quoted(value)
  if (Array.isArray(value)) return `[${value.map(tomlText).join(', ')}]`
  if (types.isDate(value)) return value.toISOString()
  if (typeof value === 'object' && value !== null) return tableText(value)
  return String(value)
}

/** Replaces characters that a terminal interprets instead of showing; keeps tabs. */
export function printable(text: string): string {
  return withoutInvisible(text, (character) => (character === '\t' ? '\t' : '\u{fffd}'))
}

/** Control and format characters (bidi marks among them) can change how a terminal shows the text around them. */
function withoutInvisible(text: string, replacement: (character: string) => string): string {
  // Made where it is needed: V8 takes 0.2 ms for it.
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, replacement)
}

function tableText(table: object): string {
  const pairs = Object.entries(table).map(([name, value]) => {
    return `${/^[A-Za-z0-9_-]+$/.test(name) ? name : quoted(name)} = ${tomlText(value)}`
  })
  return pairs.length === 0 ? '{}' : `{ ${pairs.join(', ')} }`
}

function quoted(text: string): string {
  return withoutInvisible(JSON.stringify(text), (character) => {
    const code = (character.codePointAt(0) ?? 0).toString(16)
    return code.length > 4 ? `\\U${code.padStart(8, '0')}` : `\\u${code.padStart(4, '0')}`
  })
}
