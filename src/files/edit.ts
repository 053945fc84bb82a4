import type { NearestLines } from '../base/refusal.ts'
import { type LineEnd, lineEndOf, linesOf, withLineEnds } from './text.ts'

export type Edited =
  /** `line`: of the first change, from 1. */
  | { readonly text: string; readonly replaced: number; readonly line: number }
  /** It stands there so often; at most 20 of the lines. */
  | { readonly count: number; readonly lines: readonly number[] }
  | { readonly nearest: NearestLines | undefined }

export interface Wanted {
  readonly old: string
  readonly new: string
  readonly all: boolean
}

/** Replaces what stands in a text once, or with `all` each time. In a file whose lines end in CRLF, LF means that, and the reverse. */
export function edited(text: string, { old, new: next, all }: Wanted): Edited {
  const end = lineEndOf(text)
  const forms: readonly (LineEnd | undefined)[] = end ? [end, undefined] : [undefined, '\r\n', '\n']
  for (const form of forms) {
    const [from, to] = [old, next].map((part) => (form ? withLineEnds(part, form) : part)) as [string, string]
    const places = placesIn(text, from)
    if (places.length > 1 && !all)
      return { count: places.length, lines: places.slice(0, mostShown).map((at) => lineAt(text, at)) }
    const [first] = places
    if (first !== undefined)
      return { text: text.split(from).join(to), replaced: places.length, line: lineAt(text, first) }
  }
  return { nearest: nearestTo(old, text) }
}

function placesIn(text: string, part: string): number[] {
  const places: number[] = []
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) places.push(at)
  return places
}

function lineAt(text: string, at: number): number {
  return text.slice(0, at).split('\n').length
}

/** Of a longer file or text the rest is not searched. */
const mostLines = 100_000
const mostShown = 20
const leastAlike = 0.5

/** The lines of a text that are most like another one: those around the line that is most like its longest. */
function nearestTo(old: string, text: string): NearestLines | undefined {
  const [lines, wanted] = [text, old].map((all) =>
    linesOf(all)
      .slice(0, mostLines)
      .map((line) => line.trim()),
  ) as [string[], string[]]
  const longest = wanted.reduce(
    (best, line, at) => (line.length > (wanted[best]?.length ?? 0) ? at : best),
    0,
  )
  const target = pairsOf(wanted[longest] ?? '')
  let best = { alike: leastAlike, at: -1 }
  for (const [at, line] of lines.entries()) {
    const alike = likeness(target, line)
    if (alike > best.alike) best = { alike, at }
  }
  if (best.at < 0) return undefined
  const from = Math.max(0, best.at - longest)
  const shown = linesOf(text).slice(from, from + Math.min(wanted.length, mostShown))
  return { from: from + 1, lines: shown.map((line) => line.replace(/\r?\n$/, '')) }
}

/** Of the characters beyond these nothing is compared. */
const mostCharacters = 400

function pairsOf(line: string): ReadonlySet<string> {
  const text = ` ${line.slice(0, mostCharacters)} `
  return new Set(Array.from({ length: text.length - 1 }, (_, at) => text.slice(at, at + 2)))
}

/** Dice's coefficient of the pairs of characters: from 0 to 1. */
function likeness(wanted: ReadonlySet<string>, line: string): number {
  // A line of quite another length cannot be alike enough.
  if (line.length * 4 < wanted.size || wanted.size * 4 < Math.min(line.length, mostCharacters)) return 0
  const pairs = pairsOf(line)
  let shared = 0
  for (const pair of pairs) if (wanted.has(pair)) shared += 1
  return (2 * shared) / (pairs.size + wanted.size)
}
