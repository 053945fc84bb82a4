import type { AST } from 'toml-eslint-parser'
import type { KeyPath } from './check.ts'
import { printable } from './toml-text.ts'

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
