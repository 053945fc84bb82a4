import { isDeepStrictEqual } from 'node:util'
import { parseJsonc, withValue } from '../base/edits.ts'
import { tried } from '../base/errno.ts'
import { isTable, plain } from '../base/table.ts'
import { parseToml } from '../internal.ts'

/** One thing that attaching writes into a file, and what it is, for people. */
export type Piece = { readonly file: string; readonly what: string } & (
  | { readonly kind: 'file'; readonly text: string; readonly mode: number }
  /** -1 as the last part of the path appends to a list. */
  | {
      readonly kind: 'json'
      readonly path: readonly (string | number)[]
      readonly value: unknown
      /** The client ignores a whole file that has comments or a comma too many. */
      readonly isStrict?: true
    }
  /** Tables of TOML, at the end of the file. */
  | { readonly kind: 'toml'; readonly text: string }
)

type JsonPiece = Extract<Piece, { kind: 'json' }>

/** The file's text with a piece; undefined: there is no such file yet. Throws where it cannot be put in. */
export async function withPiece(before: string | undefined, piece: Piece): Promise<string> {
  switch (piece.kind) {
    case 'file':
      if (before !== undefined && before !== piece.text) throw new Error('it is there and not of vitrine')
      return piece.text
    case 'json':
      return withJson(before ?? '', piece)
    case 'toml':
      return withToml(before ?? '', piece.text, piece.file)
  }
}

function withJson(before: string, piece: JsonPiece): string {
  const { path, value } = piece
  const known = parsed(before, piece)
  if (!isTable(known)) throw new Error('it does not contain an object')
  const wanted = placed(plain(known), path, value)
  const after = withValue(before, [...path], value)
  if (!isDeepStrictEqual(plain(parseJsonc(after)), wanted)) throw new Error(unsafe(path.join('.')))
  return after
}

function parsed(text: string, { isStrict }: JsonPiece): unknown {
  const value = parseJsonc(text)
  if (isStrict && text.trim() !== '' && tried(() => JSON.parse(text) as unknown) === undefined)
    throw new Error('it is not plain JSON (a comment, a comma too many), so the client ignores all of it')
  return value
}

const unsafe = (what: string) => `"${what}" is written in a way that cannot be edited safely`

/** Changes and returns the value, which has the other parts of the path as tables and lists. */
function placed(into: unknown, [key = '', ...rest]: readonly (string | number)[], value: unknown): unknown {
  if (key === -1) {
    if (!Array.isArray(into ?? [])) throw new Error('a list is expected where it has something else')
    return [...((into as unknown[] | undefined) ?? []), value]
  }
  const table = into ?? {}
  if (!isTable(table))
    throw new Error(`an object that holds "${key}" is expected where it has something else`)
  return { ...table, [key]: rest.length === 0 ? value : placed(table[key], rest, value) }
}

async function withToml(before: string, text: string, file: string): Promise<string> {
  await parseToml({ file, text: before })
  const eol = before.includes('\r\n') ? '\r\n' : '\n'
  const gap = before.trim() === '' ? '' : before.endsWith('\n') ? eol : eol + eol
  const after = `${before}${gap}${text.replaceAll('\n', eol)}`
  // A list that is written in its place cannot be added to at the end.
  await parseToml({ file, text: after }).catch(() => {
    throw new Error('what it has already cannot be added to at its end')
  })
  return after
}

/** Whether the file has the piece. */
export function hasPiece(text: string | undefined, piece: Piece): boolean {
  if (text === undefined) return false
  if (piece.kind === 'file') return text === piece.text
  if (piece.kind === 'toml') return text.replaceAll('\r\n', '\n').includes(piece.text)
  return indexOf(parsed(text, piece), piece) !== undefined
}

/** The path at which a JSON text has the piece. */
function indexOf(value: unknown, { path, value: ours }: JsonPiece): (string | number)[] | undefined {
  const [last = '', above] = [path.at(-1), path.slice(0, -1)]
  const holder = at(value, above)
  if (last !== -1) return isDeepStrictEqual(plain(at(value, path)), ours) ? [...path] : undefined
  const index = Array.isArray(holder) ? holder.findIndex((each) => isDeepStrictEqual(plain(each), ours)) : -1
  return index < 0 ? undefined : [...above, index]
}

function at(value: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>((inner, key) => Object(inner)[key], value)
}

/** A changed file's text without the piece. @param before the text before it was put in; undefined: there was no file */
export function withoutPiece(text: string, piece: Piece, before: string | undefined): string | undefined {
  if (piece.kind === 'file') return text === piece.text ? undefined : text
  if (piece.kind === 'toml') return withoutBlock(text, piece.text)
  const path = indexOf(parseJsonc(text), piece)
  if (!path) return text
  const earlier = parseJsonc(before ?? '')
  const old = piece.path.at(-1) === -1 ? undefined : at(earlier, piece.path)
  let after = withValue(text, path, old)
  // What was made to hold it goes, too, where nothing else has come into it.
  for (let above = path.slice(0, -1); above.length > 0 && old === undefined; above = above.slice(0, -1)) {
    if (at(earlier, above) !== undefined || Object.keys(Object(at(parseJsonc(after), above))).length > 0)
      break
    after = withValue(after, above, undefined)
  }
  return after
}

function withoutBlock(text: string, block: string): string {
  for (const ours of [block, block.replaceAll('\n', '\r\n')])
    for (const gap of ['\n', '\r\n', ''])
      if (text.includes(gap + ours)) return text.replace(gap + ours, () => '')
  return text
}
