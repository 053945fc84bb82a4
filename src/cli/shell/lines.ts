import { createInterface } from 'node:readline'

/** Where the lines of a shell come from. */
export interface Lines {
  /** The next line; `null`: the line was given up (Ctrl+C); undefined: there is none any more. */
  next(prompt: string): Promise<string | null | undefined>
  /** Nothing more is wanted: who waits gets undefined. */
  close(): void
}

/** Lines of a pipe or a file. */
export class PipedLines implements Lines {
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
