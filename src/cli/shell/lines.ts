import { createInterface } from 'node:readline'

export interface LineSource {
  /** The next line; `null`: the line was discarded (Ctrl+C); undefined: end of input. */
  next(prompt: string): Promise<string | null | undefined>
  /** Ends the input: a pending `next` resolves to undefined. */
  close(): void
}

export class PipedLines implements LineSource {
  readonly #interface = createInterface({ input: process.stdin, terminal: false })
  readonly #lines = this.#interface[Symbol.asyncIterator]()

  async next(): Promise<string | undefined> {
    const { value, done } = await this.#lines.next()
    return done ? undefined : value
  }

  close(): void {
    this.#interface.close()
  }
}
