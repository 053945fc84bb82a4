import { createReadStream } from 'node:fs'
import { open, stat } from 'node:fs/promises'
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

const probeBytes = 8192

export async function isBinary(path: string): Promise<boolean> {
  return looksBinary(await bytesAt(path, 0, probeBytes))
}

/** Reads lines, at most `maxBytes` bytes: as many whole lines as fit, or the start of the first. */
export async function readLines(path: string, range: Range, maxBytes: number): Promise<Part> {
  const skip = range.offset >= 0 ? range.offset : Math.max(0, (await countLines(path)) + range.offset)
  const collected = await collectLines(path, skip, range.limit, maxBytes)
  const whole = collected.bytes.length <= maxBytes ? collected.bytes : wholeLines(collected.bytes, maxBytes)
  const cut = whole.length > 0 && whole.at(-1) !== 0x0a && whole.length < collected.bytes.length
  const lines = linesIn(whole)
  return { text: decode(whole, { end: cut }), from: skip + 1, to: skip + lines, total: collected.total, cut }
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

/** Returns at most `maxBytes` + 1 bytes of the requested lines, and the line count of the whole file. */
async function collectLines(
  path: string,
  skip: number,
  limit: number,
  maxBytes: number,
): Promise<{ bytes: Buffer; total: number }> {
  const parts: Buffer[] = []
  let size = 0
  let line = 0
  let last = 0x0a
  for await (const chunk of chunksOf(path)) {
    const before = line
    line += countNewlines(chunk)
    last = chunk.at(-1) ?? last
    if (line < skip || before >= skip + limit || size > maxBytes) continue
    const from = afterNewlines(chunk, Math.max(0, skip - before))
    const part = chunk.subarray(from, afterNewlines(chunk, skip + limit - before))
    parts.push(Buffer.from(part.subarray(0, maxBytes + 1 - size)))
    size += part.length
  }
  return { bytes: Buffer.concat(parts), total: last === 0x0a ? line : line + 1 }
}

function wholeLines(bytes: Buffer, maxBytes: number): Buffer {
  const end = bytes.lastIndexOf(0x0a, maxBytes - 1)
  return bytes.subarray(0, end === -1 ? maxBytes : end + 1)
}

function linesIn(bytes: Buffer): number {
  if (bytes.length === 0) return 0
  return countNewlines(bytes) + (bytes.at(-1) === 0x0a ? 0 : 1)
}

async function bytesAt(path: string, position: number, length: number): Promise<Buffer> {
  const file = await open(path, 'r')
  try {
    const buffer = Buffer.alloc(Math.max(0, Math.min(length, (await file.stat()).size - position)))
    let filled = 0
    for (let read = -1; read !== 0 && filled < buffer.length; filled += read) {
      read = (await file.read(buffer, filled, buffer.length - filled, position + filled)).bytesRead
    }
    return buffer.subarray(0, filled)
  } finally {
    await file.close()
  }
}

const newline = 0x0a
const chunkBytes = 1 << 20

function chunksOf(path: string): AsyncIterable<Buffer> {
  return createReadStream(path, { highWaterMark: chunkBytes })
}

/** Lines of a file in batches, without line ends; one over `longest` bytes comes in several parts. */
export async function* lineBatches(path: string, longest: number): AsyncGenerator<OutputLine[]> {
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
export interface OutputLine {
  readonly number: number
  readonly text: string
}

/** The last line may lack its line end. */
async function countLines(path: string): Promise<number> {
  let lines = 0
  let last = newline
  for await (const chunk of chunksOf(path)) {
    lines += countNewlines(chunk)
    last = chunk.at(-1) ?? last
  }
  return last === newline ? lines : lines + 1
}

function countNewlines(bytes: Buffer): number {
  let count = 0
  for (let at = bytes.indexOf(newline); at !== -1; at = bytes.indexOf(newline, at + 1)) count++
  return count
}

/** The position just after the `wanted`-th line end of a chunk, or its length if there are fewer. */
function afterNewlines(bytes: Buffer, wanted: number): number {
  let at = 0
  for (let seen = 0; seen < wanted; seen++) {
    const end = bytes.indexOf(newline, at)
    if (end === -1) return bytes.length
    at = end + 1
  }
  return at
}
