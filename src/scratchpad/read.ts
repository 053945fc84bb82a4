import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { bytesText, decode, looksBinary, withLine } from '../base/text.ts'
import { entryLine } from '../messages/scratchpad.ts'
import type { ScratchpadEntry } from './list.ts'
import type { Scratchpad } from './scratchpad.ts'

/** The parameters of `read_scratchpad`. */
export interface ReadInput {
  /** Default: all outputs are listed. */
  readonly name?: string | undefined
  /** Of `offset` and `limit`. Default: `lines`. */
  readonly unit?: 'lines' | 'bytes' | undefined
  /** How many to skip; negative: to read from the end. Default: 0. */
  readonly offset?: number | undefined
  /** Default: as many as one answer shows. */
  readonly limit?: number | undefined
}

/** A model's answer. */
export interface ReadAnswer {
  readonly text: string
  readonly isError: boolean
}

const answer = (text: string, isError = false): ReadAnswer => ({ text, isError })

/**
 * Shows a part of a saved output, or lists all.
 * @param elsewhere finds what the session has not
 */
export async function readSaved(
  scratchpad: Pick<Scratchpad, 'entries' | 'find'> | undefined,
  asked: ReadInput,
  maxChars: number,
  elsewhere: (name: string) => ScratchpadEntry | undefined = () => undefined,
): Promise<ReadAnswer> {
  const { name } = asked
  const entries = scratchpad?.entries() ?? []
  if (name === undefined)
    return answer(entries.map(entryLine).join('\n') || 'This session has no saved outputs.')
  const own = scratchpad?.find(name)
  const entry = own ?? elsewhere(name)
  if (!entry) {
    const names = entries.map((each) => each.name).join(', ')
    const list = names === '' ? 'It has no saved outputs' : `Saved: ${names}`
    return answer(`This session has no saved output named ${JSON.stringify(name)}. ${list}.`, true)
  }
  if (await isBinary(entry.path))
    return answer(
      `Scratchpad "${entry.name}" is binary (${bytesText(entry.bytes)}) and not shown as text. Inspect the file with a program, for example: xxd ${entry.path} | head`,
      true,
    )
  return answer(await rangeOf(entry, asked, maxChars, !own))
}

async function rangeOf(
  { path, changedMs }: ScratchpadEntry,
  { unit = 'lines', offset = 0, limit = Number.MAX_SAFE_INTEGER }: ReadInput,
  maxChars: number,
  isEarlier: boolean,
): Promise<string> {
  const read = unit === 'lines' ? readLines : readBytes
  const part = await read(path, { offset, limit }, maxChars)
  return withLine(part.text, rangeLine(unit, part, isEarlier ? changedMs : undefined))
}

function rangeLine(
  unit: 'lines' | 'bytes',
  { from, to, total, cut }: Part,
  earlierMs: number | undefined,
): string {
  if (from > total) return `[no ${unit} in this range; ${total} ${unit} in total]`
  const more = to < total ? `; next: offset ${to}` : ''
  const broken = cut && unit === 'lines' ? `; line ${to} is cut off: read it with unit "bytes"` : ''
  const earlier =
    earlierMs === undefined ? '' : `; saved by an earlier session on ${new Date(earlierMs).toISOString()}`
  return `[${unit} ${from} to ${to} of ${total}${more}${broken}${earlier}]`
}

interface Range {
  /** Lines or bytes to skip; negative: how many to read from the end. */
  readonly offset: number
  readonly limit: number
}

/** A part of an entry as text. `from` and `to` count from 1, inclusive; an empty part has `to` < `from`. */
interface Part {
  readonly text: string
  readonly from: number
  readonly to: number
  readonly total: number
  /** The part was cut to the size limit: its last line is incomplete. */
  readonly cut: boolean
}

const newline = 0x0a
const probeBytes = 8192

async function isBinary(path: string): Promise<boolean> {
  return looksBinary(await bytesAt(path, 0, probeBytes))
}

/** Reads lines, at most `maxBytes` bytes: as many whole lines as fit, or the start of the first. */
export async function readLines(path: string, { offset, limit }: Range, maxBytes: number): Promise<Part> {
  const skip = offset >= 0 ? offset : Math.max(0, (await linesAt(path, 0, 0)).total + offset)
  const { start, end, total } = await linesAt(path, skip, limit)
  const bytes = await bytesAt(path, start, Math.min(end - start, maxBytes + 1))
  const whole = bytes.length <= maxBytes ? bytes : wholeLines(bytes, maxBytes)
  const cut = whole.length > 0 && whole.at(-1) !== newline && whole.length < bytes.length
  return { text: decode(whole, { end: cut }), from: skip + 1, to: skip + linesIn(whole), total, cut }
}

/** Reads bytes as text, without characters split at either end. */
export async function readBytes(path: string, range: Range, maxBytes: number): Promise<Part> {
  const total = (await stat(path)).size
  const skip = range.offset >= 0 ? range.offset : Math.max(0, total + range.offset)
  const bytes = await bytesAt(path, skip, Math.min(range.limit, maxBytes))
  const text = decode(bytes, { start: skip > 0, end: skip + bytes.length < total })
  const cut = range.limit > maxBytes && bytes.length === maxBytes && skip + bytes.length < total
  return { text, from: skip + 1, to: skip + bytes.length, total, cut }
}

/** Where lines begin and end in a file, and how many it has; the last one may lack its line end. */
async function linesAt(path: string, skip: number, limit: number) {
  let [line, at, last] = [0, 0, newline]
  let start = skip === 0 ? 0 : undefined
  let end = skip + limit === 0 ? 0 : undefined
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) {
    for (let found = chunk.indexOf(newline); found !== -1; found = chunk.indexOf(newline, found + 1)) {
      line++
      if (line === skip) start = at + found + 1
      if (line === skip + limit) end = at + found + 1
    }
    at += chunk.length
    last = chunk.at(-1) ?? last
  }
  return { start: start ?? at, end: end ?? at, total: last === newline ? line : line + 1 }
}

function wholeLines(bytes: Buffer, maxBytes: number): Buffer {
  const end = bytes.lastIndexOf(newline, maxBytes - 1)
  return bytes.subarray(0, end === -1 ? maxBytes : end + 1)
}

function linesIn(bytes: Buffer): number {
  const ends = bytes.reduce((count, byte) => (byte === newline ? count + 1 : count), 0)
  return bytes.length === 0 || bytes.at(-1) === newline ? ends : ends + 1
}

async function bytesAt(path: string, start: number, length: number): Promise<Buffer> {
  const end = Math.min((await stat(path)).size, start + length) - 1
  return start > end ? Buffer.alloc(0) : buffer(createReadStream(path, { start, end }))
}
