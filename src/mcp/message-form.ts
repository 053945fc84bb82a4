import { Transform, type TransformCallback } from 'node:stream'
import { tried } from '../base/errno.ts'
import { badMessages } from '../messages/mcp/serve.ts'
import { ProtocolErrorCode, parseJSONRPCMessage } from './sdk.ts'

export interface FormOptions {
  readonly answer: (text: string) => void
  readonly log: (text: string) => void
  /** Called with each message that is passed on. */
  readonly took: (message: Readonly<Record<string, unknown>>) => void
  /** The SDK answers nothing once its input has ended, so the end waits for this. */
  readonly beforeEnd: () => Promise<void>
}

/**
 * Answers what is no message of JSON-RPC with an error, and passes the messages of a batch (MCP 2025-03-26) on one by one. The SDK
 * drops both without an answer, for which a client would wait. Each chunk is one line.
 */
export class MessageForm extends Transform {
  readonly #options: FormOptions

  constructor(options: FormOptions) {
    super({ writableObjectMode: true, writableHighWaterMark: 1 })
    this.#options = options
  }

  override _transform(line: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    const text = line.toString('utf8')
    if (text.trim() !== '') this.#take(text, line)
    done()
  }

  override _flush(done: TransformCallback): void {
    this.#options.beforeEnd().then(() => done(), done)
  }

  #take(text: string, line: Buffer): void {
    const read = tried(() => ({ value: JSON.parse(text) as unknown }))
    if (!read) this.#refuse(null, ProtocolErrorCode.ParseError, badMessages.noJson)
    else if (!Array.isArray(read.value)) this.#check(read.value, () => line)
    else if (read.value.length === 0)
      this.#refuse(null, ProtocolErrorCode.InvalidRequest, badMessages.emptyBatch)
    else for (const each of read.value) this.#check(each, () => Buffer.from(`${JSON.stringify(each)}\n`))
  }

  #check(message: unknown, lineOf: () => Buffer): void {
    const fields: Readonly<Record<string, unknown>> = Object(message)
    const { method, id } = fields
    const answers = method === undefined && isId(id)
    // What nests too deep cannot be written again.
    const line = tried(() => parseJSONRPCMessage(message) && lineOf())
    if (line) {
      this.#options.took(fields)
      this.push(line)
    }
    // Nothing answers an answer, or a notification.
    else if (!answers && (method === undefined || id !== undefined))
      this.#refuse(isId(id) ? id : null, ProtocolErrorCode.InvalidRequest, badMessages.noMessage)
    else this.#options.log(badMessages.ignored)
  }

  /** JSON-RPC 2.0, section 5: null stands for an unknown id. */
  #refuse(id: string | number | null, code: number, message: string): void {
    this.#options.answer(`${JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } })}\n`)
  }
}

function isId(id: unknown): id is string | number {
  return typeof id === 'string' || Number.isInteger(id)
}
