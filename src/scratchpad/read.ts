import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { setImmediate } from 'node:timers/promises'
import { monotonicMs } from '../base/clock.ts'
import { decode, looksBinary } from '../base/text.ts'

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
const chunkBytes = 1 << 20
const probeBytes = 8192

export async function isBinary(path: string): Promise<boolean> {
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
  for await (const chunk of chunksOf(path)) {
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

function chunksOf(path: string): AsyncIterable<Buffer> {
  return createReadStream(path, { highWaterMark: chunkBytes })
}

/** Lines of a file in batches, without line ends; one over `longest` bytes comes in several parts. */
async function* lineBatches(path: string, longest: number): AsyncGenerator<OutputLine[]> {
  let rest: Buffer = Buffer.alloc(0)
  let number = 1
  for await (const chunk of chunksOf(path)) {
    const bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk
    const batch: OutputLine[] = []
    let start = 0
    for (let end = bytes.indexOf(newline); end !== -1; end = bytes.indexOf(newline, start)) {
      batch.push({ number: number++, text: decode(bytes.subarray(start, end)) })
      start = end + 1
    }
    rest = Buffer.from(bytes.subarray(start))
    if (rest.length > longest) {
      batch.push({ number, text: decode(rest) })
      rest = Buffer.alloc(0)
    }
    yield batch
  }
  if (rest.length > 0) yield [{ number, text: decode(rest) }]
}

/** A line and its number, from 1. */
interface OutputLine {
  readonly number: number
  readonly text: string
}

/** Tests lines. Its time must grow linearly with the text, because a call is not interrupted. */
export interface LinePattern {
  readonly test: (text: string) => boolean
  /** The most characters to test in one call; a longer line is tested in parts. */
  readonly longest: number
}

interface GrepQuery {
  readonly pattern: LinePattern
  readonly context: number
  readonly maxChars: number
  readonly timeoutMs: number
}

type GrepOutcome =
  | { readonly kind: 'found'; readonly text: string; readonly matches: number; readonly shown: number }
  | { readonly kind: 'too-slow'; readonly afterMs: number }

/** Longer lines are shown in parts, so that memory stays bounded. */
const maxLineLength = 1 << 20

/** Milliseconds of matching before other work gets its turn. */
const turnMs = 20

/** Searches an entry like `grep -n -C`: `12:match`, `11-context`, `--` between groups. */
export async function grepEntry(
  path: string,
  { pattern, context, maxChars, timeoutMs }: GrepQuery,
): Promise<GrepOutcome> {
  const view = new GrepView(context, maxChars)
  const until = monotonicMs() + timeoutMs
  let turn = monotonicMs() + turnMs
  for await (const batch of lineBatches(path, maxLineLength))
    for (const line of batch) {
      let matched = false
      for (const part of partsOf(line.text, pattern)) {
        matched ||= pattern.test(part)
        if (monotonicMs() > until) return { kind: 'too-slow', afterMs: timeoutMs }
        if (monotonicMs() < turn) continue
        await setImmediate()
        turn = monotonicMs() + turnMs
      }
      view.add(line, matched)
    }
  return { kind: 'found', text: view.text, matches: view.matches, shown: view.shown }
}

/** They overlap, so that a match across a boundary is found. */
function partsOf(text: string, pattern: LinePattern): readonly string[] {
  if (text.length <= pattern.longest) return [text]
  const step = Math.ceil(pattern.longest * 0.75)
  const count = Math.ceil((text.length - pattern.longest) / step) + 1
  return Array.from({ length: count }, (_, at) => text.slice(at * step, at * step + pattern.longest))
}

class GrepView {
  matches = 0
  shown = 0
  #text: string[] = []
  #chars = 0
  #before: OutputLine[] = []
  #after = 0
  #lastNumber = 0
  readonly #context: number
  readonly #maxChars: number

  constructor(context: number, maxChars: number) {
    this.#context = context
    this.#maxChars = maxChars
  }

  get text(): string {
    return this.#text.join('\n')
  }

  add(line: OutputLine, matched: boolean): void {
    if (matched) this.#addMatch(line)
    else if (this.#after > 0) {
      this.#after--
      this.#show(line, '-')
    } else if (this.#context > 0) {
      this.#before.push(line)
      if (this.#before.length > this.#context) this.#before.shift()
    }
  }

  #addMatch(line: OutputLine): void {
    this.matches++
    if (this.#chars >= this.#maxChars) return
    const first = this.#before[0] ?? line
    if (this.#context > 0 && this.#lastNumber > 0 && first.number > this.#lastNumber + 1)
      this.#text.push('--')
    for (const before of this.#before) this.#show(before, '-')
    this.#before = []
    if (this.#show(line, ':')) this.shown++
    this.#after = this.#context
  }

  #show({ number, text }: OutputLine, mark: ':' | '-'): boolean {
    const room = this.#maxChars - this.#chars
    if (room <= 0) return false
    const said = `${number}${mark}${text}`.slice(0, room)
    this.#text.push(said)
    this.#chars += said.length + 1
    this.#lastNumber = number
    return true
  }
}
