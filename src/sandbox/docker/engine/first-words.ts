import type { FrameStream } from './frames.ts'

/**
 * The engine's message, on the process's own output, when the process could not be started: the runtime's, or
 * a line of the engine's own when the container ended before.
 */
const neverStarted =
  /^(OCI runtime exec failed|((container|task) [0-9a-f]{64} |no running task found|cannot exec in a ).*\r\n$)/
/** The message is a single short piece. */
const longest = 8192

/** Holds back a first piece like the engine's message, until it is known whether the command wrote it. */
export class FirstWords {
  readonly #output: (stream: FrameStream, bytes: Buffer) => void
  #isFirst = true
  #piece: { readonly stream: FrameStream; readonly bytes: Buffer } | undefined

  constructor(output: (stream: FrameStream, bytes: Buffer) => void) {
    this.#output = output
  }

  get held(): string {
    return this.#piece?.bytes.toString() ?? ''
  }

  add(stream: FrameStream, bytes: Buffer): void {
    const maybe = this.#isFirst && bytes.length < longest && neverStarted.test(bytes.toString())
    this.#isFirst = false
    // The engine's message would be the only output: after more, the piece is the command's.
    this.release()
    if (maybe) this.#piece = { stream, bytes }
    else this.#output(stream, bytes)
  }

  release(): void {
    const piece = this.#piece
    this.#piece = undefined
    if (piece) this.#output(piece.stream, piece.bytes)
  }
}
