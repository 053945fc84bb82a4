import { isUtf8 } from 'node:buffer'
import { looksBinary } from '../base/text.ts'

/** `utf8-bom`: UTF-8 behind a byte order mark. `latin1`: none of the others, so that each byte is a character. */
export type TextEncoding = 'utf8' | 'utf8-bom' | 'utf16le' | 'utf16be' | 'latin1'

const marks: readonly (readonly [TextEncoding, readonly number[]])[] = [
  ['utf8-bom', [0xef, 0xbb, 0xbf]],
  ['utf16le', [0xff, 0xfe]],
  ['utf16be', [0xfe, 0xff]],
]

function markOf(encoding: TextEncoding): readonly number[] {
  return marks.find(([name]) => name === encoding)?.[1] ?? []
}

/** Such that the text, encoded again, gives the same bytes. Undefined: it is binary. */
export function encodingOf(bytes: Buffer): TextEncoding | undefined {
  const [marked] = marks.find(([, mark]) => mark.every((byte, at) => bytes[at] === byte)) ?? []
  if (marked === 'utf16le' || marked === 'utf16be') return bytes.length % 2 === 0 ? marked : undefined
  if (looksBinary(bytes)) return undefined
  if (!isUtf8(bytes)) return 'latin1'
  return marked ?? 'utf8'
}

/** Without its byte order mark. */
export function textIn(bytes: Buffer, encoding: TextEncoding): string {
  const rest = bytes.subarray(markOf(encoding).length)
  if (encoding === 'utf16be') return Buffer.from(rest).swap16().toString('utf16le')
  return rest.toString(encoding === 'utf8-bom' ? 'utf8' : encoding)
}

/** Undefined: the encoding has no bytes for one of its characters. */
export function bytesOf(text: string, encoding: TextEncoding): Buffer | undefined {
  const plain = encoding === 'utf8-bom' ? 'utf8' : encoding === 'utf16be' ? 'utf16le' : encoding
  const bytes = Buffer.from(text, plain)
  if (bytes.toString(plain) !== text) return undefined
  return Buffer.concat([Buffer.from(markOf(encoding)), encoding === 'utf16be' ? bytes.swap16() : bytes])
}

/** Each with its line end. */
export function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? []
}

/** Which of so many lines are meant: `offset` skips some, or counts from the end. */
export function rangeIn(total: number, offset: number, limit: number): { from: number; to: number } {
  const skip = offset < 0 ? Math.max(0, total + offset) : offset
  return { from: Math.min(skip, total) + 1, to: Math.min(total, skip + limit) }
}

export type LineEnd = '\n' | '\r\n'

/** What every line ends with; undefined: nothing, or not all with the same. */
export function lineEndOf(text: string): LineEnd | undefined {
  const ends = new Set(text.match(/\r?\n/g))
  return ends.size === 1 ? ([...ends][0] as LineEnd) : undefined
}

export function withLineEnds(text: string, end: LineEnd): string {
  return text.replace(/\r?\n/g, end)
}
