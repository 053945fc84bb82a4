import { open, stat } from 'node:fs/promises'
import { decode, looksBinary } from '../base/text.ts'
import { afterNewlines, chunksOf, countLines, countNewlines } from './lines.ts'

export interface Range {
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
