import { Transform, type TransformCallback } from 'node:stream'
import { tried } from '../base/errno.ts'
import { messageTooLong } from '../messages/mcp/serve.ts'

const newline = 0x0a
/** How much of a message that is too long is kept, to find its id. */
const keptBytes = 4096
/** INVALID_REQUEST: JSON-RPC 2.0, section 5.1. */
const invalidRequest = -32_600

const idValue = String.raw`(-?\d+|"(?:[^"\\]|\\.)*")`
const scalarMember = String.raw`"[^"\\]*"\s*:\s*(?:"[^"\\]*"|-?\d+)\s*,\s*`
/** An id behind only string and number members is the message's own; the TypeScript SDK writes it last. */
const idAtStart = new RegExp(String.raw`^\s*\{\s*(?:${scalarMember})*"id"\s*:\s*${idValue}\s*[,}]`)
const idAtEnd = new RegExp(String.raw`[,{]\s*"id"\s*:\s*${idValue}\s*\}\s*$`)

/** Passes messages on line by line. One longer than `limit` bytes is answered with an error instead. */
export class MessageLimit extends Transform {
  readonly #limit: number
  readonly #answer: (text: string) => void
  #held: Buffer[] = []
  #length = 0
  #head = Buffer.alloc(0)
  #tail = Buffer.alloc(0)

  constructor(limit: number, answer: (text: string) => void) {
    // One chunk is one message.
    super({ readableObjectMode: true, readableHighWaterMark: 1 })
    this.#limit = limit
    this.#answer = answer
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    let start = 0
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      this.#add(chunk.subarray(start, end + 1))
      this.#endMessage()
      start = end + 1
    }
    if (start < chunk.length) this.#add(chunk.subarray(start))
    done()
  }

  /** The last line may lack its newline. */
  override _flush(done: TransformCallback): void {
    if (this.#length > 0) {
      this.#add(Buffer.of(newline))
      this.#endMessage()
    }
    done()
  }

  #add(part: Buffer): void {
    this.#length += part.length
    if (this.#head.length < keptBytes)
      this.#head = Buffer.concat([this.#head, part.subarray(0, keptBytes - this.#head.length)])
    if (this.#length <= this.#limit) this.#held.push(part)
    else this.#held = []
    const last = part.subarray(-keptBytes)
    this.#tail = Buffer.concat([this.#tail, last]).subarray(-keptBytes)
  }

  #endMessage(): void {
    if (this.#length <= this.#limit) this.push(Buffer.concat(this.#held))
    else this.#refuse()
    this.#held = []
    this.#length = 0
    this.#head = Buffer.alloc(0)
    this.#tail = Buffer.alloc(0)
  }

  #refuse(): void {
    const found = idAtStart.exec(this.#head.toString('utf8')) ?? idAtEnd.exec(this.#tail.toString('utf8'))
    // null stands for an unknown id: JSON-RPC 2.0, section 5.
    const id: unknown = tried(() => JSON.parse(found?.[1] ?? 'null')) ?? null
    const error = { code: invalidRequest, message: messageTooLong(this.#length, this.#limit) }
    this.#answer(`${JSON.stringify({ jsonrpc: '2.0', id, error })}\n`)
  }
}
