import { isDeepStrictEqual } from 'node:util'
import {
  applyEdits,
  createScanner,
  type Edit,
  type FormattingOptions,
  findNodeAtLocation,
  type JSONPath,
  modify,
  type ParseError,
  parse,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser'
import type { AST } from 'toml-eslint-parser'

/** The members to set in an entry; undefined: to remove. */
export type Members = Readonly<Record<string, unknown>>

/** Parses JSON that may have comments and trailing commas; an empty text is `{}`. The error names the line. */
export function parseJsonc(text: string): unknown {
  const errors: ParseError[] = []
  const { body } = split(text)
  const value: unknown = parse(body, errors, { allowTrailingComma: true, allowEmptyContent: true })
  const [first] = errors
  if (!first) return value === undefined ? {} : value
  const line = body.slice(0, first.offset).split('\n').length
  const problem = printParseErrorCode(first.error).replace(/\B(?=[A-Z])/g, ' ')
  throw new Error(`line ${line}: ${problem.toLowerCase()}`)
}

/**
 * Sets the members of the object at `[parent, name]` one by one, and removes those whose value is undefined: comments, trailing commas
 * and everything else stay. Replaces a value that is no object.
 */
export function withEntry(text: string, parent: string, name: string, members: Members): string {
  const path = [parent, name]
  const { mark, body } = split(text)
  const root = parseTree(body, [], { allowTrailingComma: true })
  const edited =
    root && findNodeAtLocation(root, path)?.type === 'object'
      ? Object.entries(members).reduce((into, [key, value]) => edit(into, [...path, key], value), body)
      : edit(body, path, members)
  return `${mark}${edited}${body.trim() === '' ? '\n' : ''}`
}

function edit(text: string, path: JSONPath, value: unknown): string {
  if (value === undefined) return without(text, path)
  // A first member needs no comma before it, where a comment could stand.
  const options = { formattingOptions: styleOf(text), getInsertionIndex: () => 0 }
  return applyEdits(text, modify(text, path, value, options))
}

/** By hand: `modify` would also remove the comments between the member and its neighbours. */
function without(text: string, path: JSONPath): string {
  const root = parseTree(text, [], { allowTrailingComma: true })
  const member = root && findNodeAtLocation(root, path)?.parent
  if (!member) return text
  const end = member.offset + member.length
  const siblings = member.parent?.children ?? []
  const before = siblings[siblings.indexOf(member) - 1]
  const comma = commaAt(text, end) ?? (before && commaAt(text, before.offset + before.length))
  if (comma === undefined) return applyEdits(text, [cut(text, member.offset, end)])
  if (comma === end) return applyEdits(text, [cut(text, member.offset, end + 1)])
  return applyEdits(text, [cut(text, member.offset, end), { offset: comma, length: 1, content: '' }])
}

/** The offset of the comma that comes next, behind comments. */
function commaAt(text: string, offset: number): number | undefined {
  const scanner = createScanner(text, true)
  scanner.setPosition(offset)
  scanner.scan()
  return text[scanner.getTokenOffset()] === ',' ? scanner.getTokenOffset() : undefined
}

/** Removes the whole line where nothing else is in it. */
function cut(text: string, from: number, to: number): Edit {
  const indent = /(?<=^|\n)[ \t]*$/.exec(text.slice(0, from))?.[0].length
  const rest = /^[ \t]*\r?\n/.exec(text.slice(to))?.[0].length
  if (indent === undefined || rest === undefined) return { offset: from, length: to - from, content: '' }
  return { offset: from - indent, length: indent + to - from + rest, content: '' }
}

/** A byte order mark is not white space in JSON. */
function split(text: string): { readonly mark: string; readonly body: string } {
  const body = text.replace(/^\uFEFF/, '')
  return { mark: text.slice(0, text.length - body.length), body }
}

function styleOf(text: string): FormattingOptions {
  const indent = /\n([ \t]+)\S/.exec(text)?.[1] ?? '  '
  return {
    insertSpaces: !indent.startsWith('\t'),
    tabSize: indent.length,
    eol: text.includes('\r\n') ? '\r\n' : '\n',
  }
}

/** Replaces the text between two offsets. */
interface TextEdit {
  readonly from: number
  readonly to: number
  readonly text: string
}

/**
 * Sets the keys of the table `[parent.name]` one by one, and removes those whose value is undefined; every other byte of the text stays.
 * A table that is missing is added. TOML has other ways to write a table, so the caller must parse the result and check its meaning.
 */
export async function withTable(
  text: string,
  parent: string,
  name: string,
  members: Members,
): Promise<string> {
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  const known = await tableOf(text, [parent, name])
  if (known) return applied(text, editsOf(text, known, members, eol))
  const table = tableText(parent, name, members).replaceAll('\n', eol)
  if (text.trim() === '') return table
  return `${text}${text.endsWith('\n') ? '' : eol}${eol}${table}`
}

export function tableText(parent: string, name: string, members: Members): string {
  const lines = Object.entries(members).flatMap(([key, value]) =>
    value === undefined ? [] : [lineOf(key, value)],
  )
  return `[${parent}.${name}]\n${lines.join('\n')}\n`
}

/** JSON strings, numbers and lists of strings are valid TOML. */
function lineOf(key: string, value: unknown): string {
  return `${key} = ${JSON.stringify(value)}`
}

async function tableOf(text: string, key: readonly string[]): Promise<AST.TOMLTable | undefined> {
  const { parseTOML } = await import('toml-eslint-parser')
  const parts = parseTOML(text).body[0].body
  return parts.find(
    (part): part is AST.TOMLTable => part.type === 'TOMLTable' && isDeepStrictEqual(part.resolvedKey, key),
  )
}

function editsOf(text: string, table: AST.TOMLTable, members: Members, eol: string): readonly TextEdit[] {
  const header = lineEnd(text, table.key.range[1])
  return Object.entries(members).flatMap(([key, value]): TextEdit[] => {
    const known = table.body.find(({ key: { keys } }) => keys.length === 1 && nameOf(keys[0]) === key)
    if (value === undefined)
      return known ? [{ from: known.range[0], to: nextLine(text, known.range[1]), text: '' }] : []
    if (!known) return [{ from: header, to: header, text: `${eol}${lineOf(key, value)}` }]
    const [from, to] = known.value.range
    return [{ from, to, text: JSON.stringify(value) }]
  })
}

function nameOf(key: AST.TOMLBare | AST.TOMLQuoted | undefined): string | undefined {
  return key?.type === 'TOMLBare' ? key.name : key?.value
}

/** The end of the line that contains `offset`. */
function lineEnd(text: string, offset: number): number {
  return offset + text.slice(offset).search(/\r?\n|$/)
}

function nextLine(text: string, offset: number): number {
  const end = lineEnd(text, offset)
  return end + (/^\r?\n/.exec(text.slice(end))?.[0].length ?? 0)
}

/** Works from the end to the beginning, so that offsets stay valid. Edits at one place keep their order. */
function applied(text: string, edits: readonly TextEdit[]): string {
  return edits
    .toReversed()
    .sort((a, b) => b.from - a.from)
    .reduce((into, { from, to, text: put }) => into.slice(0, from) + put + into.slice(to), text)
}
