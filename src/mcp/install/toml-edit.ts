import { isDeepStrictEqual } from 'node:util'
import type { AST } from 'toml-eslint-parser'

/** The members to set in an entry; undefined: to remove. */
export type Members = Readonly<Record<string, unknown>>

/** Replaces the text between two offsets. */
interface Edit {
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

function editsOf(text: string, table: AST.TOMLTable, members: Members, eol: string): readonly Edit[] {
  const header = lineEnd(text, table.key.range[1])
  return Object.entries(members).flatMap(([key, value]): Edit[] => {
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
function applied(text: string, edits: readonly Edit[]): string {
  return edits
    .toReversed()
    .sort((a, b) => b.from - a.from)
    .reduce((into, { from, to, text: put }) => into.slice(0, from) + put + into.slice(to), text)
}
