import type { FrameStream } from './frames.ts'

/** The engine says so on the process's own output, when it could not be started. */
const neverStarted = 'OCI runtime exec failed'
/** It is one piece, and short. */
const longest = 8192

/** Output that may be the engine's: a first piece that begins as its words do is held back until it is known whose it is. */
export class FirstWords {
  readonly #output: (stream: FrameStream, bytes: Buffer) => void
  #isFirst = true
  #piece: { readonly stream: FrameStream; readonly bytes: Buffer } | undefined

  constructor(output: (stream: FrameStream, bytes: Buffer) => void) {
    this.#output = output
  }

  /** What is held back; empty: nothing. */
  get held(): string {
    return this.#piece?.bytes.toString() ?? ''
  }

  add(stream: FrameStream, bytes: Buffer): void {
    const maybe = this.#isFirst && bytes.length < longest && bytes.toString().startsWith(neverStarted)
    this.#isFirst = false
    // The engine's are all that there is: more makes them the command's.
    this.release()
    if (maybe) this.#piece = { stream, bytes }
    else this.#output(stream, bytes)
  }

  /** They are the command's. */
  release(): void {
    const piece = this.#piece
    this.#piece = undefined
    if (piece) this.#output(piece.stream, piece.bytes)
  }
}
