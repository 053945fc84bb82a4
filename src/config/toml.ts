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
  for (const node of await nodesOf(text)) {
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

async function nodesOf(text: string): Promise<Iterable<Node>> {
  const { parseTOML } = await import('toml-eslint-parser')
  try {
    return nodesOfDocument(parseTOML(text))
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

function* nodesOfDocument(program: AST.TOMLProgram): Generator<Node> {
  for (const part of program.body[0].body) {
    if (part.type === 'TOMLKeyValue') yield* nodesOfPair(part, [])
    else yield* nodesOfTable(part)
  }
}

function* nodesOfTable(table: AST.TOMLTable): Generator<Node> {
  const names = [...table.key.keys]
  for (const [index, step] of table.resolvedKey.slice(0, maxDepth).entries()) {
    const at = (typeof step === 'string' ? names.shift()?.loc : undefined) ?? table.key.loc
    yield { path: table.resolvedKey.slice(0, index + 1), name: at, value: at }
  }
  for (const pair of table.body) yield* nodesOfPair(pair, table.resolvedKey)
}

function* nodesOfPair(pair: AST.TOMLKeyValue, base: KeyPath): Generator<Node> {
  let path = base
  for (const part of pair.key.keys) {
    if (path.length === maxDepth) return
    path = [...path, part.type === 'TOMLBare' ? part.name : part.value]
    const isLast = part === pair.key.keys.at(-1)
    yield { path, name: part.loc, value: isLast ? pair.value.loc : part.loc }
  }
  yield* nodesInValue(pair.value, path)
}

function* nodesInValue(value: AST.TOMLContentNode, path: KeyPath): Generator<Node> {
  if (path.length === maxDepth) return
  if (value.type === 'TOMLInlineTable') for (const pair of value.body) yield* nodesOfPair(pair, path)
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

const BARE_KEY = /^[A-Za-z0-9_-]+$/

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
    return `${BARE_KEY.test(name) ? name : quoted(name)} = ${tomlText(value)}`
  })
  return pairs.length === 0 ? '{}' : `{ ${pairs.join(', ')} }`
}

function quoted(text: string): string {
  return withoutInvisible(JSON.stringify(text), escaped)
}

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0
  return code > 0xffff ? `\\U${hex(code, 8)}` : `\\u${hex(code, 4)}`
}

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, '0')
}
