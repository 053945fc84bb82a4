import { closeSync, constants, openSync, readSync, writev } from 'node:fs'
import { errorReason, errorText, tried } from '../base/errno.ts'
import { looksBinary } from '../base/text.ts'
import type { Stream } from '../base/types.ts'

export interface CollectorOptions {
  /** UTF-16 code units shown inline. */
  readonly inlineChars: number
  /** Ends the command above this many bytes; 0: no limit. */
  readonly maxBytes: number
  /** If false, only head and tail are kept and nothing goes to disk. */
  readonly save: boolean
  /** Throws if it cannot. */
  openSpill(): SpillFile
  /** Called if output exceeds the limit or can no longer be stored: the command must end. */
  overflow(): void
}

export interface Collected {
  readonly output: View
  readonly stdout: View
  readonly stderr: View
  readonly bytes: number
  readonly binary: boolean
  readonly spilled?: { readonly file: SpillFile; readonly bytes: number }
  /** Output that could not be stored; directly follows the file's content. */
  readonly unsaved?: { readonly bytes: Buffer; readonly reason: string }
  /** The whole output, if it is to be saved and was not spilled. */
  readonly whole?: Buffer
  readonly notSaved?: string
}

/** UTF-8 needs at most this many bytes per UTF-16 code unit. */
export const bytesPerUnit = 3
/** Bytes kept even if less is shown: the head tells binary output, and hints depend on error text. */
const leastCapacity = 32_768

/** Collects output: up to a threshold in memory; above it in a file, with both ends in memory. */
export class Collector {
  readonly #options: CollectorOptions
  /** Above this many bytes, output goes to disk. */
  readonly #threshold: number
  readonly #output: Window
  readonly #stdout: Window
  readonly #stderr: Window
  #pending: Buffer[] = []
  #spill: Spill | undefined
  #notSaved: string | undefined
  /** The command has ended, or is given up: what its launcher still tells is too late, as the file is closed. */
  isOver = false

  constructor(options: CollectorOptions) {
    this.#options = options
    this.#threshold = options.inlineChars * bytesPerUnit
    const capacity = Math.max(leastCapacity, this.#threshold)
    this.#output = new Window(capacity)
    this.#stdout = new Window(capacity)
    this.#stderr = new Window(capacity)
  }

  /** The promise resolves when the chunk has been written; undefined: it stays in memory. */
  add(stream: Stream, chunk: Buffer): Promise<void> | undefined {
    const { maxBytes, save, overflow } = this.#options
    this.#output.add(chunk)
    const window = stream === 'stdout' ? this.#stdout : this.#stderr
    window.add(chunk)
    if (maxBytes > 0 && this.#output.total > maxBytes) overflow()
    return save && this.#notSaved === undefined ? this.#store(chunk) : undefined
  }

  #store(chunk: Buffer): Promise<void> | undefined {
    if (this.#spill) return this.#spill.add(chunk)
    this.#pending.push(chunk)
    return this.#output.total > this.#threshold ? this.#beginSpill() : undefined
  }

  /** A failure to save does not end the command. */
  #beginSpill(): Promise<void> | undefined {
    const whole = Buffer.concat(this.#pending)
    this.#pending = []
    try {
      this.#spill = new Spill(this.#options.openSpill(), this.#options.overflow)
      return this.#spill.add(whole)
    } catch (error) {
      this.#notSaved = errorText(error)
      return undefined
    }
  }

  /** Bytes of both streams so far. */
  get total(): number {
    return this.#output.total
  }

  /** What follows a position, at most that many bytes, also after the end; `at` is later where bytes are not kept. */
  async read(at: number, most: number): Promise<{ readonly at: number; readonly bytes: Buffer }> {
    const unwritten = await this.#spill?.finish()
    if (this.#spill && unwritten) {
      const { file, written } = this.#spill
      const bytes =
        at < written ? readAt(file.path, at, Math.min(most, written - at)) : unwritten.subarray(at - written)
      if (bytes?.length) return { at, bytes: bytes.subarray(0, most) }
    }
    const { head, tail, omitted } = this.#output.view()
    if (at < head.length) return { at, bytes: head.subarray(at, at + most) }
    const from = Math.max(at, head.length + omitted)
    const skipped = from - head.length - omitted
    return { at: Math.min(from, this.total), bytes: tail.subarray(skipped, skipped + most) }
  }

  async finish(): Promise<Collected> {
    const unsaved = await this.#spill?.finish()
    const output = this.#output.view()
    return {
      output,
      stdout: this.#stdout.view(),
      stderr: this.#stderr.view(),
      bytes: this.#output.total,
      binary: looksBinary(output.head),
      ...this.#stored(unsaved),
    }
  }

  #stored(unsaved: Buffer | undefined): Pick<Collected, 'spilled' | 'unsaved' | 'whole' | 'notSaved'> {
    if (this.#notSaved !== undefined) return { notSaved: this.#notSaved }
    if (!this.#spill) return this.#options.save ? { whole: Buffer.concat(this.#pending) } : {}
    const { file, written: bytes, error } = this.#spill
    const spilled = { file, bytes }
    if (!error || !unsaved) return { spilled }
    return { spilled, unsaved: { bytes: unsaved, reason: errorReason(error) } }
  }
}

/** Everything, or head and tail. */
export interface View {
  readonly head: Buffer
  readonly tail: Buffer
  readonly omitted: number
}

class Window {
  readonly half: number
  readonly #head: Buffer[] = []
  #headBytes = 0
  #tail: Buffer[] = []
  #tailBytes = 0
  total = 0

  /** Keeps at least `capacity` bytes, half at each end. */
  constructor(capacity: number) {
    this.half = Math.ceil(capacity / 2)
  }

  add(chunk: Buffer): void {
    this.total += chunk.length
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
      let [first] = this.#tail;
      first && this.#tailBytes - first.length >= this.half;
      [first] = this.#tail
    ) {
      this.#tail.shift()
      this.#tailBytes -= first.length
    }
  }

  view(): View {
    const omitted = this.total - this.#headBytes - this.#tailBytes
    // Most commands write nothing to one of their streams, and making a buffer takes longer than asking.
    if (this.total === 0) return { head: empty, tail: empty, omitted }
    if (omitted > 0) return { head: Buffer.concat(this.#head), tail: Buffer.concat(this.#tail), omitted }
    return { head: Buffer.concat([...this.#head, ...this.#tail]), tail: empty, omitted }
  }
}

const empty = Buffer.alloc(0)

export interface SpillFile {
  readonly name: string
  readonly path: string
  readonly fd: number
}

/** Writes chunks to a file, one batch at a time, and keeps what it could not write. */
export class Spill {
  readonly file: SpillFile
  written = 0
  error: unknown
  readonly #onError: () => void
  #waiting: Buffer[] = []
  /** The batch that is written, and the one after it. */
  #writing = Promise.resolve()
  #next: Promise<void> | undefined

  constructor(file: SpillFile, onError: () => void) {
    this.file = file
    this.#onError = onError
  }

  /**
   * Resolves when the chunk has been written. After a failed write the rest stays in memory until the command is dead: at most a window and
   * two pipes.
   */
  add(chunk: Buffer): Promise<void> | undefined {
    this.#waiting.push(chunk)
    if (this.error !== undefined) return undefined
    this.#next ??= this.#writing.then(() => this.#writeBatch())
    return this.#next
  }

  /** Resolves when writing ends, to the unwritten bytes, which directly follow the file's content. */
  async finish(): Promise<Buffer> {
    await (this.#next ?? this.#writing)
    return Buffer.concat(this.#waiting)
  }

  async #writeBatch(): Promise<void> {
    this.#writing = this.#next ?? this.#writing
    this.#next = undefined
    if (this.error !== undefined) return
    let batch = this.#waiting
    this.#waiting = []
    try {
      while (batch.length > 0) {
        const written = await writeBuffers(this.file.fd, batch)
        this.written += written
        // A nearly full disk accepts a part (write(2)); the next write takes the rest or fails.
        batch = behind(batch, written)
      }
    } catch (error) {
      this.error = error
      this.#waiting = [...batch, ...this.#waiting]
      this.#onError()
    }
  }
}

/** Not promisify(writev): that resolves to an object in Node and to a number in Deno. */
function writeBuffers(fd: number, buffers: readonly Buffer[]): Promise<number> {
  return new Promise((resolve, reject) => {
    writev(fd, buffers, (error, written) => (error ? reject(error) : resolve(written)))
  })
}

/** Undefined: the file is gone. */
function readAt(path: string, at: number, length: number): Buffer | undefined {
  return tried(() => {
    const fd = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0))
    try {
      const bytes = Buffer.allocUnsafe(length)
      return bytes.subarray(0, readSync(fd, bytes, 0, length, at))
    } finally {
      closeSync(fd)
    }
  })
}

/** What follows so many bytes. */
function behind(buffers: readonly Buffer[], bytes: number): Buffer[] {
  const left = buffers.reduce((sum, { length }) => sum + length, -bytes)
  return left === 0 ? [] : [Buffer.concat(buffers).subarray(bytes)]
}
