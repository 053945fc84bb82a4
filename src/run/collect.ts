import { write } from 'node:fs'
import { errorText } from '../base/errno.ts'
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
  consumed(bytes: number): void
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
  /** Bytes of the spill's first batch: they were credited to the launcher when they arrived. */
  #early = 0
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

  add(stream: Stream, chunk: Buffer): void {
    const { maxBytes, consumed, overflow } = this.#options
    this.#output.add(chunk)
    const window = stream === 'stdout' ? this.#stdout : this.#stderr
    window.add(chunk)
    // After a failed write the rest is small: the command is being killed and its pipes drained.
    if (!this.#spill || this.#spill.error) consumed(chunk.length)
    if (this.#isSaving) this.#store(chunk)
    if (maxBytes > 0 && this.#output.total > maxBytes) overflow()
  }

  get #isSaving(): boolean {
    return this.#options.save && this.#notSaved === undefined
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
    if (!this.#spill) return this.#isSaving ? { whole: Buffer.concat(this.#pending) } : {}
    const { file, written: bytes, error } = this.#spill
    const spilled = { file, bytes }
    return error && unsaved
      ? { spilled, unsaved: { bytes: unsaved, reason: error.code ?? error.message } }
      : { spilled }
  }

  #store(chunk: Buffer): void {
    if (this.#spill) {
      this.#spill.add([chunk])
      return
    }
    this.#pending.push(chunk)
    if (this.#output.total > this.#threshold) this.#beginSpill()
  }

  /** A failure to save does not end the command. */
  #beginSpill(): void {
    try {
      const failed = () => this.#failed()
      this.#spill = new Spill(this.#options.openSpill(), (bytes) => this.#written(bytes), failed)
      this.#early = this.#output.total
      this.#spill.add(this.#pending)
    } catch (error) {
      this.#notSaved = errorText(error)
    }
    this.#pending = []
  }

  #written(bytes: number): void {
    const early = Math.min(bytes, this.#early)
    this.#early -= early
    this.#options.consumed(bytes - early)
  }

  /** Until the command is dead, its output stays in memory: at most a window and two pipes. */
  #failed(): void {
    this.#options.overflow()
    this.#options.consumed(this.#output.total)
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
  error: NodeJS.ErrnoException | undefined
  #waiting: Buffer[] = []
  #writing: Promise<void> | undefined
  readonly #onWritten: (bytes: number) => void
  readonly #onError: () => void

  constructor(file: SpillFile, onWritten: (bytes: number) => void, onError: () => void) {
    this.file = file
    this.#onWritten = onWritten
    this.#onError = onError
  }

  add(chunks: readonly Buffer[]): void {
    for (const chunk of chunks) this.#waiting.push(chunk) // maybe more than a call takes arguments
    if (!this.error) this.#writing ??= this.#writeAll()
  }

  /** Resolves when writing ends, to the unwritten bytes, which directly follow the file's content. */
  async finish(): Promise<Buffer> {
    await this.#writing
    return Buffer.concat(this.#waiting)
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0 && !this.error) await this.#writeBatch()
    this.#writing = undefined
  }

  async #writeBatch(): Promise<void> {
    const batch = Buffer.concat(this.#waiting)
    this.#waiting = []
    try {
      const written = await writeTo(this.file.fd, batch)
      this.written += written
      // A nearly full disk accepts a part (write(2)); the next write takes the rest or fails.
      if (written < batch.length) this.#waiting.unshift(batch.subarray(written))
      this.#onWritten(written)
    } catch (error) {
      this.#waiting.unshift(batch)
      this.error = error as NodeJS.ErrnoException
      this.#onError()
    }
  }
}

/** Not promisify(write): that resolves to an object in Node and to a number in Deno. */
function writeTo(fd: number, bytes: Buffer): Promise<number> {
  return new Promise((resolve, reject) => {
    write(fd, bytes, (error, written) => (error ? reject(error) : resolve(written)))
  })
}
