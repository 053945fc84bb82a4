import type { FileProblem } from '../base/refusal.ts'
import type { Stream } from '../base/types.ts'
import { mostBytes } from './scripts.ts'

/** A file before its change. `bytes` has the beginning of one that is larger than `mostBytes`. */
export interface OldFile {
  readonly size: number
  readonly created: boolean
  readonly bytes: Buffer
}

/** The host's part in a change: hears what the file holds, and answers what it shall hold. */
export class Exchange {
  /** Why there is no new content: the file stays as it is. */
  problem: FileProblem | undefined
  readonly #make: (old: OldFile) => Buffer | FileProblem
  readonly #heard: Promise<OldFile>
  #hear: (old: OldFile) => void = () => {}
  #chunks: Buffer[] = []
  #bytes = 0
  /** Until the first line has come. */
  #wanted = Number.POSITIVE_INFINITY

  constructor(make: (old: OldFile) => Buffer | FileProblem) {
    this.#make = make
    this.#heard = new Promise((resolve) => {
      this.#hear = resolve
    })
  }

  /** As `onOutput`. */
  take(stream: Stream, chunk: Buffer): void {
    if (stream === 'stderr') return
    this.#chunks.push(chunk)
    this.#bytes += chunk.length
    const head = this.#wanted === Number.POSITIVE_INFINITY ? headOf(Buffer.concat(this.#chunks)) : undefined
    if (head) this.#wanted = head.length + Math.min(head.size, mostBytes)
    if (this.#bytes < this.#wanted) return
    const all = Buffer.concat(this.#chunks)
    const { length, size, created } = headOf(all) ?? { length: 0, size: 0, created: false }
    this.#hear({ size, created, bytes: all.subarray(length) })
  }

  /** As `stdin`. */
  async *answer(): AsyncGenerator<Buffer> {
    const made = this.#make(await this.#heard)
    if ('kind' in made) {
      this.problem = made
      return
    }
    yield Buffer.from(`go ${made.length}\n`)
    yield made
  }
}

function headOf(bytes: Buffer): { size: number; created: boolean; length: number } | undefined {
  const end = bytes.indexOf('\n')
  if (end === -1) return undefined
  const [size, created] = bytes.toString('latin1', 0, end).split(' ')
  return { size: Number(size), created: created === '1', length: end + 1 }
}
