/** Stream, three zeros, length in big-endian (API reference, "Attach to a container"). */
const headBytes = 8

export type FrameStream = 'stdout' | 'stderr'

/** By number; 0 is the echo of stdin. */
const streams: readonly FrameStream[] = ['stdout', 'stdout', 'stderr']

/** Splits a stream of frames, such as an engine's. Buffers no more than a frame's header. */
export class Frames<Name> {
  readonly #take: (stream: Name, bytes: Buffer) => void
  readonly #names: readonly Name[]
  readonly #head = Buffer.alloc(headBytes)
  #headLength = 0
  #left = 0
  #stream: Name | undefined

  /** @param take called with every piece as it arrives */
  constructor(take: (stream: Name, bytes: Buffer) => void, names: readonly Name[]) {
    this.#take = take
    this.#names = names
  }

  add(chunk: Buffer): void {
    for (let at = 0; at < chunk.length; )
      at += this.#left > 0 ? this.#body(chunk, at) : this.#begin(chunk, at)
  }

  #body(chunk: Buffer, at: number): number {
    const bytes = chunk.subarray(at, at + this.#left)
    this.#left -= bytes.length
    if (this.#stream !== undefined) this.#take(this.#stream, bytes)
    return bytes.length
  }

  #begin(chunk: Buffer, at: number): number {
    const copied = chunk.copy(this.#head, this.#headLength, at, at + headBytes - this.#headLength)
    this.#headLength += copied
    if (this.#headLength < headBytes) return copied
    this.#headLength = 0
    this.#stream = this.#names[this.#head[0] ?? 0]
    this.#left = this.#head.readUInt32BE(4)
    return copied
  }
}

export function engineFrames(take: (stream: FrameStream, bytes: Buffer) => void): Frames<FrameStream> {
  return new Frames(take, streams)
}
