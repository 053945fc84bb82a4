import { errorText } from '../base/errno.ts'
import { looksBinary, Utf8Judge } from '../base/text.ts'
import type { Stream } from '../base/types.ts'
import { Spill, type SpillFile } from './spill.ts'
import { type View, Window } from './window.ts'

/** What a collector needs from its surroundings. */
export interface CollectorOptions {
  /** UTF-16 code units that are shown inline. */
  readonly inlineChars: number
  /** Above this many bytes the command is ended; 0: never. */
  readonly maxBytes: number
  /** false: only head and tail are kept, and nothing goes to disk. */
  readonly save: boolean
  /** Opens the file that output goes to. Throws when there is none to be had. */
  openSpill(): SpillFile
  /** Lets the launcher read that many bytes more. */
  consumed(bytes: number): void
  /** The output is over the limit, or can no longer be stored: the command has to end. */
  overflow(): void
}

/** Everything a command wrote. */
export interface Collected {
  readonly output: View
  readonly stdout: View
  readonly stderr: View
  readonly bytes: number
  readonly binary: boolean
  readonly wellFormed: boolean
  /** The file that holds the output, when it was spilled. */
  readonly spilled?: { readonly file: SpillFile; readonly bytes: number }
  /** What could not be stored; in the file it would stand right behind what is there. */
  readonly unsaved?: { readonly bytes: Buffer; readonly reason: string }
  /** The whole output, when it was to be saved and was not spilled. */
  readonly whole?: Buffer
  /** Why only head and tail were kept: no file could be had for the rest. */
  readonly notSaved?: string
}

/** UTF-8 needs at most this many bytes for one UTF-16 code unit. */
const bytesPerUnit = 3
/** Kept however little is shown: what is binary is judged by the head, and hints go by the words of errors. */
const leastCapacity = 32_768

/** Collects the output of one command: raw bytes, in bounded memory, past a threshold on disk. */
export class Collector {
  readonly #options: CollectorOptions
  /** Bytes that stay in memory; more goes to disk. */
  readonly #threshold: number
  readonly #output: Window
  readonly #stdout: Window
  readonly #stderr: Window
  readonly #utf8 = { stdout: new Utf8Judge(), stderr: new Utf8Judge() }
  #pending: Buffer[] = []
  #spill: Spill | null = null
  #failed: string | null = null
  #saving: boolean
  #notSaved: string | undefined
  /** Bytes of the spill's first batch that were given back already. */
  #early = 0

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
    if (this.#saving) {
      this.#utf8[stream].add(chunk)
      this.#store(chunk)
    } else this.#options.consumed(chunk.length)
    const { maxBytes } = this.#options
    if (maxBytes > 0 && this.#output.total > maxBytes) this.#options.overflow()
  }

  /** After the last chunk. */
  async finish(): Promise<Collected> {
    const unsaved = this.#spill ? await this.#spill.finish() : Buffer.alloc(0)
    const output = this.#output.view()
    return {
      output,
      stdout: this.#stdout.view(),
      stderr: this.#stderr.view(),
      bytes: this.#output.total,
      binary: looksBinary(output.head),
      wellFormed: this.#utf8.stdout.wellFormed && this.#utf8.stderr.wellFormed,
      ...this.#stored(unsaved),
    }
  }

  #stored(unsaved: Buffer): Pick<Collected, 'spilled' | 'unsaved' | 'whole' | 'notSaved'> {
    if (!this.#saving) return this.#notSaved === undefined ? {} : { notSaved: this.#notSaved }
    if (!this.#spill) return { whole: Buffer.concat(this.#pending) }
    const spilled = { file: this.#spill.file, bytes: this.#spill.written }
    return unsaved.length > 0
      ? { spilled, unsaved: { bytes: unsaved, reason: this.#failed ?? 'unknown' } }
      : { spilled }
  }

  #store(chunk: Buffer): void {
    if (this.#spill) this.#spill.add([chunk])
    else this.#pending.push(chunk)
    // What cannot be stored is little: the command is being killed, and the rest of its pipes has to be read.
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
      // The command goes on: a place to save is not its affair.
      this.#saving = false
      this.#notSaved = errorText(error)
      this.#pending = []
    }
  }

  /** What was kept in memory first was given back when it came. */
  #written(bytes: number): void {
    const now = Math.max(0, bytes - this.#early)
    this.#early = Math.max(0, this.#early - bytes)
    this.#options.consumed(now)
  }

  /** The command is killed; what it wrote until then is kept in memory, a window and two pipes at most. */
  #fail(error: NodeJS.ErrnoException): void {
    this.#failed = error.code ?? error.message
    this.#options.overflow()
    this.#options.consumed(this.#output.total)
  }
}
