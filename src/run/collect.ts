import { writev } from 'node:fs'
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
const bytesPerUnit = 3
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
  #spill: Spill | null = null
  #failed: string | null = null
  #saving: boolean
  #notSaved: string | undefined
  /** Bytes of the spill's first batch that were already credited to the launcher. */
  #early = 0
  #isOver = false

  constructor(options: CollectorOptions) {
    this.#options = options
    this.#threshold = options.inlineChars * bytesPerUnit
    this.#saving = options.save
    const capacity = Math.max(leastCapacity, this.#threshold)
    this.#output = new Window(capacity)
    this.#stdout = new Window(capacity)
    this.#stderr = new Window(capacity)
  }

  add(stream: Stream, chunk: Buffer): void {
    this.#output.add(chunk)
    const window = stream === 'stdout' ? this.#stdout : this.#stderr
    window.add(chunk)
    if (this.#saving) this.#store(chunk)
    else this.#options.consumed(chunk.length)
    this.#heedLimit()
  }

  #heedLimit(): void {
    const { maxBytes } = this.#options
    if (maxBytes > 0 && this.#output.total > maxBytes) this.#options.overflow()
  }

  /** The command has ended, or is given up: what its launcher still tells is too late, as the file is closed. */
  ended(): void {
    this.#isOver = true
  }

  get isOver(): boolean {
    return this.#isOver
  }

  async finish(): Promise<Collected> {
    const unsaved = this.#spill ? await this.#spill.finish() : Buffer.alloc(0)
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

  #stored(unsaved: Buffer): Pick<Collected, 'spilled' | 'unsaved' | 'whole' | 'notSaved'> {
    if (!this.#saving) return this.#notSaved === undefined ? {} : { notSaved: this.#notSaved }
    if (!this.#spill) return { whole: Buffer.concat(this.#pending) }
    const spilled = { file: this.#spill.file, bytes: this.#spill.written }
    return this.#failed === null
      ? { spilled }
      : { spilled, unsaved: { bytes: unsaved, reason: this.#failed } }
  }

  #store(chunk: Buffer): void {
    if (this.#spill) this.#spill.add([chunk])
    else this.#pending.push(chunk)
    // After a failed write the rest is small: the command is being killed and its pipes drained.
    if (!this.#spill || this.#failed !== null) this.#options.consumed(chunk.length)
    if (!this.#spill && this.#failed === null && this.#output.total > this.#threshold) this.#beginSpill()
  }

  #beginSpill(): void {
    try {
      const file = this.#options.openSpill()
      this.#spill = new Spill(
        file,
        (bytes) => this.#written(bytes),
        (error) => this.#fail(error),
      )
      this.#early = this.#output.total
      this.#spill.add(this.#pending)
      this.#pending = []
    } catch (error) {
      // A failure to save does not end the command.
      this.#saving = false
      this.#notSaved = errorText(error)
      this.#pending = []
    }
  }

  /** Bytes kept in memory before the spill were credited when they arrived. */
  #written(bytes: number): void {
    const now = Math.max(0, bytes - this.#early)
    this.#early = Math.max(0, this.#early - bytes)
    this.#options.consumed(now)
  }

  /** Until the command is dead, its output stays in memory: at most a window and two pipes. */
  #fail(error: NodeJS.ErrnoException): void {
    this.#failed = error.code ?? error.message
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

/** Not promisify(writev): that resolves to an object in Node and to a number in Deno. */
function writeBuffers(fd: number, buffers: readonly Buffer[]): Promise<number> {
  return new Promise((resolve, reject) => {
    writev(fd, buffers, (error, written) => (error ? reject(error) : resolve(written)))
  })
}

export interface SpillFile {
  readonly name: string
  readonly path: string
  readonly fd: number
}

/** Writes chunks to a file, one batch at a time, and keeps what it could not write. */
export class Spill {
  readonly file: SpillFile
  #waiting: Buffer[] = []
  #writing: Promise<void> | null = null
  #written = 0
  #error: NodeJS.ErrnoException | null = null
  readonly #onWritten: (bytes: number) => void
  readonly #onError: (error: NodeJS.ErrnoException) => void

  constructor(
    file: SpillFile,
    onWritten: (bytes: number) => void,
    onError: (error: NodeJS.ErrnoException) => void,
  ) {
    this.file = file
    this.#onWritten = onWritten
    this.#onError = onError
  }

  get written(): number {
    return this.#written
  }

  add(chunks: readonly Buffer[]): void {
    for (const chunk of chunks) this.#waiting.push(chunk) // maybe more than a call takes arguments
    if (!this.#error) this.#writing ??= this.#writeAll()
  }

  /** Resolves when writing ends, to the unwritten bytes, which directly follow the file's content. */
  async finish(): Promise<Buffer> {
    await this.#writing
    return Buffer.concat(this.#waiting)
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0 && !this.#error) await this.#writeBatch()
    this.#writing = null
  }

  async #writeBatch(): Promise<void> {
    const batch = this.#waiting
    this.#waiting = []
    try {
      const bytesWritten = await writeBuffers(this.file.fd, batch)
      this.#written += bytesWritten
      // A nearly full disk accepts a part (write(2)); the next write takes the rest or fails.
      this.#waiting = [...rest(batch, bytesWritten), ...this.#waiting]
      this.#onWritten(bytesWritten)
    } catch (error) {
      this.#waiting = [...batch, ...this.#waiting]
      this.#fail(error as NodeJS.ErrnoException)
    }
  }

  #fail(error: NodeJS.ErrnoException): void {
    this.#error = error
    this.#onError(error)
  }
}

function rest(buffers: readonly Buffer[], written: number): Buffer[] {
  let skip = written
  const left: Buffer[] = []
  for (const buffer of buffers) {
    if (skip < buffer.length) left.push(skip > 0 ? buffer.subarray(skip) : buffer)
    skip = Math.max(0, skip - buffer.length)
  }
  return left
}
