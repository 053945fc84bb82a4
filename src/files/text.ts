import { isUtf8 } from 'node:buffer'
import type { FileProblem, NearestLines } from '../base/refusal.ts'
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

type LineEnd = '\n' | '\r\n'

/** What every line ends with; undefined: nothing, or not all with the same. */
export function lineEndOf(text: string): LineEnd | undefined {
  const ends = new Set(text.match(/\r?\n/g))
  return ends.size === 1 ? ([...ends][0] as LineEnd) : undefined
}

export function withLineEnds(text: string, end: LineEnd): string {
  return text.replace(/\r?\n/g, end)
}

export interface Wanted {
  readonly old: string
  readonly new: string
  readonly all: boolean
}

export interface Edited {
  readonly text: string
  readonly replaced: number
  /** Of the first change, from 1. */
  readonly line: number
}

/** Replaces what stands in a text once, or with `all` each time. In a file whose lines end in CRLF, LF means that, and the reverse. */
export function edited(text: string, { old, new: next, all }: Wanted): Edited | FileProblem {
  const end = lineEndOf(text)
  const forms: readonly (LineEnd | undefined)[] = end ? [end, undefined] : [undefined, '\r\n', '\n']
  for (const form of forms) {
    const [from, to] = [old, next].map((part) => (form ? withLineEnds(part, form) : part)) as [string, string]
    const parts = text.split(from)
    const count = parts.length - 1
    if (count > 1 && !all) return { kind: 'matches', count, lines: linesOfPlaces(parts.slice(0, -1), from) }
    if (count > 0) return { text: parts.join(to), replaced: count, line: linesOf(`${parts[0]}.`).length }
  }
  return { kind: 'no-match', nearest: nearestTo(old, text) }
}

function linesOfPlaces(parts: readonly string[], between: string): number[] {
  let line = 1
  return parts.slice(0, mostShown).map((part, at) => {
    line += (at === 0 ? part : between + part).split('\n').length - 1
    return line
  })
}

/** Of a longer file or text the rest is not searched, nor compared of a line what is beyond the characters. */
const mostLines = 100_000
const mostCharacters = 400
const mostShown = 20
const leastAlike = 0.5

/** The lines of a text that are most like another one: those around the line that is most like its longest. */
function nearestTo(old: string, text: string): NearestLines | undefined {
  const lines = linesOf(text).map((line) => line.replace(/\r?\n$/, ''))
  const wanted = linesOf(old).map((line) => line.trim())
  const longest = wanted.indexOf(wanted.reduce((best, line) => (line.length > best.length ? line : best)))
  const target = pairsOf(wanted[longest] ?? '')
  let best = { alike: leastAlike, at: -1 }
  for (const [at, line] of lines.slice(0, mostLines).entries()) {
    const alike = likeness(target, pairsOf(line.trim()))
    if (alike > best.alike) best = { alike, at }
  }
  if (best.at < 0) return undefined
  const from = Math.max(0, best.at - longest)
  return { from: from + 1, lines: lines.slice(from, from + Math.min(wanted.length, mostShown)) }
}

function pairsOf(line: string): ReadonlySet<string> {
  const text = ` ${line.slice(0, mostCharacters)} `
  return new Set(Array.from({ length: text.length - 1 }, (_, at) => text.slice(at, at + 2)))
}

/** Dice's coefficient of the pairs of characters: from 0 to 1. */
function likeness(wanted: ReadonlySet<string>, pairs: ReadonlySet<string>): number {
  const shared = Array.from(pairs).filter((pair) => wanted.has(pair)).length
  return (2 * shared) / (pairs.size + wanted.size)
}
