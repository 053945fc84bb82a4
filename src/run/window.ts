import type { Kept } from '../launch/launch.ts'

/** Everything, or head and tail. */
export interface View {
  readonly head: Buffer
  readonly tail: Buffer
  readonly omitted: number
}

export class Window {
  readonly half: number
  #head: Buffer[] = []
  #headBytes = 0
  #tail: Buffer[] = []
  #tailBytes = 0
  #total = 0

  /** Keeps at least `capacity` bytes, half at each end. */
  constructor(capacity: number) {
    this.half = Math.ceil(capacity / 2)
  }

  get total(): number {
    return this.#total
  }

  add(chunk: Buffer): void {
    this.#total += chunk.length
    const room = this.half - this.#headBytes
    if (room > 0) {
      const part = chunk.subarray(0, room)
      this.#head.push(part)
      this.#headBytes += part.length
    }
    if (chunk.length > room) this.#addTail(room > 0 ? chunk.subarray(room) : chunk)
  }

  #addTail(part: Buffer): void {
    this.#tail.push(part)
    this.#tailBytes += part.length
    // Many small chunks would each hold a separate buffer.
    if (this.#tail.length > 1024) this.#tail = [Buffer.concat(this.#tail)]
    for (
      let first = this.#tail[0];
      first && this.#tailBytes - first.length >= this.half;
      first = this.#tail[0]
    ) {
      this.#tail.shift()
      this.#tailBytes -= first.length
    }
  }

  /** Like `add`, where only both ends were kept, of `half` bytes each. */
  addEnds({ bytes, head, tail }: Kept): void {
    this.add(head)
    const skipped = bytes - head.length - tail.length
    if (skipped > 0) {
      this.#total += skipped
      this.#tail = []
      this.#tailBytes = 0
    }
    this.add(tail)
  }

  view(): View {
    const omitted = this.#total - this.#headBytes - this.#tailBytes
    // Most commands write nothing to one of their streams, and making a buffer takes longer than asking.
    if (this.#total === 0) return { head: empty, tail: empty, omitted }
    return omitted === 0
      ? { head: Buffer.concat([...this.#head, ...this.#tail]), tail: empty, omitted }
      : { head: Buffer.concat(this.#head), tail: Buffer.concat(this.#tail), omitted }
  }
}

const empty = Buffer.alloc(0)
