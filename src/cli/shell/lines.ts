import { isUtf8 } from 'node:buffer'
import { createInterface } from 'node:readline'
import { lineNotUtf8 } from '../../messages/cli/run.ts'
import { misuse } from '../options.ts'

export interface LineSource {
  /** The next line; `null`: the line was discarded (Ctrl+C); undefined: end of input. */
  next(prompt: string): Promise<string | null | undefined>
  /** Ends the input: a pending `next` resolves to undefined. */
  close(): void
}

export class PipedLines implements LineSource {
  // A character for each byte: decoding would replace what is not UTF-8.
  readonly #interface = createInterface({ input: process.stdin.setEncoding('latin1'), terminal: false })
  readonly #lines = this.#interface[Symbol.asyncIterator]()

  /** Throws INVALID_REQUEST for a line that is not UTF-8: what follows may be the rest of its command. */
  async next(): Promise<string | undefined> {
    const { value, done } = await this.#lines.next()
    if (done) return undefined
    const bytes = Buffer.from(value, 'latin1')
    if (!isUtf8(bytes)) throw misuse(lineNotUtf8)
    return bytes.toString()
  }

  close(): void {
    this.#interface.close()
  }
}
