import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { decode, looksBinary } from '../base/text.ts'

interface Range {
  /** Lines or bytes to skip; negative: how many to read from the end. */
  readonly offset: number
  readonly limit: number
}

/** A part of an entry as text. `from` and `to` count from 1, inclusive; an empty part has `to` < `from`. */
export interface Part {
  readonly text: string
  readonly from: number
  readonly to: number
  readonly total: number
  /** The part was cut to the size limit: its last line is incomplete. */
  readonly cut: boolean
}

export const newline = 0x0a
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

export function chunksOf(path: string): AsyncIterable<Buffer> {
  return createReadStream(path, { highWaterMark: chunkBytes })
}
