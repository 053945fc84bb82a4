/** Stream, three zeros, length in big-endian (API reference, "Attach to a container"). */
const headBytes = 8
const stderrStream = 2

export type FrameStream = 'stdout' | 'stderr'

/** Splits an engine's stream into stdout and stderr. Buffers no more than a frame's header. */
export class Frames {
  readonly #take: (stream: FrameStream, bytes: Buffer) => void
  readonly #head = Buffer.alloc(headBytes)
  #headLength = 0
  #left = 0
  #stream: FrameStream = 'stdout'

  /** @param take called with every piece as it arrives */
  constructor(take: (stream: FrameStream, bytes: Buffer) => void) {
    this.#take = take
  }

  add(chunk: Buffer): void {
    for (let at = 0; at < chunk.length; )
      at += this.#left > 0 ? this.#body(chunk, at) : this.#begin(chunk, at)
  }

  #body(chunk: Buffer, at: number): number {
    const bytes = chunk.subarray(at, at + this.#left)
    this.#left -= bytes.length
    this.#take(this.#stream, bytes)
    return bytes.length
  }

  #begin(chunk: Buffer, at: number): number {
    const copied = chunk.copy(this.#head, this.#headLength, at, at + headBytes - this.#headLength)
    this.#headLength += copied
    if (this.#headLength < headBytes) return copied
    this.#headLength = 0
    this.#stream = this.#head[0] === stderrStream ? 'stderr' : 'stdout'
    this.#left = this.#head.readUInt32BE(4)
    return copied
  }
}
