import { createReadStream } from 'node:fs'
import { decode } from '../base/text.ts'

const newline = 0x0a
const chunkBytes = 1 << 20

export function chunksOf(path: string): AsyncIterable<Buffer> {
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
export async function countLines(path: string): Promise<number> {
  let lines = 0
  let last = newline
  for await (const chunk of chunksOf(path)) {
    lines += countNewlines(chunk)
    last = chunk.at(-1) ?? last
  }
  return last === newline ? lines : lines + 1
}

export function countNewlines(bytes: Buffer): number {
  let count = 0
  for (let at = bytes.indexOf(newline); at !== -1; at = bytes.indexOf(newline, at + 1)) count++
  return count
}

/** The position just after the `wanted`-th line end of a chunk, or its length if there are fewer. */
export function afterNewlines(bytes: Buffer, wanted: number): number {
  let at = 0
  for (let seen = 0; seen < wanted; seen++) {
    const end = bytes.indexOf(newline, at)
    if (end === -1) return bytes.length
    at = end + 1
  }
  return at
}
