import { fstatSync, write } from 'node:fs'
import type { Writable } from 'node:stream'
import { isTerminal } from './terminal.ts'

/** Where output goes: one of the standard streams. */
export interface Sink {
  /** Resolves when the bytes have been taken, or cannot be: then `broken` says why, and the rest is dropped. Writes keep their order. */
  write(bytes: string | Uint8Array): Promise<void>
  /** The code of the system error that ended it, for example EPIPE. */
  readonly broken: string | undefined
  /** Called once, when it breaks. */
  onBroken: () => void
}

abstract class BreakableSink implements Sink {
  broken: string | undefined
  onBroken: () => void = () => {}

  abstract write(bytes: string | Uint8Array): Promise<void>

  protected break(error: NodeJS.ErrnoException): void {
    if (this.broken !== undefined) return
    this.broken = error.code ?? error.message
    this.onBroken()
  }
}

/** Pipes, sockets and terminals: Node writes to them without blocking, and tells when the reader has taken it. */
class StreamSink extends BreakableSink {
  readonly #stream: Writable

  constructor(stream: Writable) {
    super()
    this.#stream = stream
    stream.on('error', (error) => this.break(error))
  }

  write(bytes: string | Uint8Array): Promise<void> {
    if (this.broken !== undefined) return Promise.resolve()
    return new Promise((resolve) => {
      this.#stream.write(bytes, () => resolve())
    })
  }
}

/** Files and devices. Node's own stream for them drops what a nearly full disk did not take (write(2) may take a part). */
class FileSink extends BreakableSink {
  readonly #fd: number
  #last: Promise<void> = Promise.resolve()

  constructor(fd: number) {
    super()
    this.#fd = fd
  }

  write(bytes: string | Uint8Array): Promise<void> {
    const buffer = typeof bytes === 'string' ? Buffer.from(bytes) : bytes
    this.#last = this.#last.then(() => this.#writeAll(buffer))
    return this.#last
  }

  async #writeAll(bytes: Uint8Array): Promise<void> {
    try {
      for (let at = 0; at < bytes.length && this.broken === undefined; )
        at += await writeOnce(this.#fd, bytes.subarray(at))
    } catch (error) {
      this.break(error as NodeJS.ErrnoException)
    }
  }
}

function writeOnce(fd: number, bytes: Uint8Array): Promise<number> {
  return new Promise((resolve, reject) =>
    write(fd, bytes, (error, written) => (error ? reject(error) : resolve(written))),
  )
}

/** Opens its sink with the first write: Node's streams take time to load, and many commands print nothing. */
class LazySink implements Sink {
  readonly #open: () => Sink
  #sink: Sink | undefined
  onBroken: () => void = () => {}

  constructor(open: () => Sink) {
    this.#open = open
  }

  get broken(): string | undefined {
    return this.#sink?.broken
  }

  write(bytes: string | Uint8Array): Promise<void> {
    if (!this.#sink) {
      this.#sink = this.#open()
      this.#sink.onBroken = () => this.onBroken()
    }
    return this.#sink.write(bytes)
  }
}

function sinkOf(fd: number, stream: () => Writable): Sink {
  const stat = fstatSync(fd)
  const isFile = stat.isFile() || (stat.isCharacterDevice() && !isTerminal(fd))
  return isFile ? new FileSink(fd) : new StreamSink(stream())
}

export const standardOutput: Sink = new LazySink(() => sinkOf(1, () => process.stdout))
export const standardError: Sink = new LazySink(() => sinkOf(2, () => process.stderr))
