import { writev } from 'node:fs'

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
