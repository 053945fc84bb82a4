import { isDeepStrictEqual } from 'node:util'
import {
  applyEdits,
  type FormattingOptions,
  type JSONPath,
  modify,
  type ParseError,
  parse,
  printParseErrorCode,
} from 'jsonc-parser'
import type { AST } from 'toml-eslint-parser'

type Entry = Readonly<Record<string, unknown>>

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
 * Puts a value at the path, of which -1 as the last part appends to a list; undefined takes out what is there. Everything else stays as
 * it is written.
 */
export function withValue(text: string, path: JSONPath, value: unknown): string {
  const { mark, body } = split(text)
  // A first member needs no comma before it, where a comment could stand.
  const options = {
    formattingOptions: styleOf(body),
    getInsertionIndex: () => 0,
    isArrayInsertion: path.at(-1) === -1,
  }
  const edited = applyEdits(body, modify(body, path, value, options))
  return `${mark}${edited}${body.trim() === '' ? '\n' : ''}`
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

/**
 * Puts the entry's keys into the table at the path, and keeps those of `keys` that it has beside them. Every other byte of the text
 * stays. TOML has other ways to write a table, so the caller must parse the result and check its meaning.
 */
export async function withTable(
  text: string,
  path: readonly string[],
  entry: Entry,
  keys: readonly string[],
): Promise<string> {
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  const known = await tableOf(text, path)
  if (!known) {
    const table = tableText(path, entry).replaceAll('\n', eol)
    return text.trim() === '' ? table : `${text}${text.endsWith('\n') ? '' : eol}${eol}${table}`
  }
  const header = lineEnd(text, known.key.range[1])
  const kept = known.body
    .filter(({ key }) => isKept(nameOf(key.keys[0]), entry, keys))
    .map(({ range: [from, to] }) => text.slice(from, lineEnd(text, to)))
  const end = known.body.reduce((last, { range }) => Math.max(last, lineEnd(text, range[1])), header)
  return [text.slice(0, header), ...linesOf(entry), ...kept].join(eol) + text.slice(end)
}

export function tableText(path: readonly string[], entry: Entry): string {
  return `[${path.join('.')}]\n${linesOf(entry).join('\n')}\n`
}

/** JSON strings, numbers and lists of strings are valid TOML. */
function linesOf(entry: Entry): string[] {
  return Object.entries(entry).map(([key, value]) => `${key} = ${JSON.stringify(value)}`)
}

async function tableOf(text: string, path: readonly string[]): Promise<AST.TOMLTable | undefined> {
  const { parseTOML } = await import('toml-eslint-parser')
  const parts = parseTOML(text).body[0].body
  return parts.find(
    (part): part is AST.TOMLTable => part.type === 'TOMLTable' && isDeepStrictEqual(part.resolvedKey, path),
  )
}

function isKept(name: string | undefined, entry: Entry, keys: readonly string[]): boolean {
  return name !== undefined && keys.includes(name) && !Object.hasOwn(entry, name)
}

function nameOf(key: AST.TOMLBare | AST.TOMLQuoted | undefined): string | undefined {
  return key?.type === 'TOMLBare' ? key.name : key?.value
}

/** The end of the line that contains `offset`. */
function lineEnd(text: string, offset: number): number {
  return offset + text.slice(offset).search(/\r?\n|$/)
}
