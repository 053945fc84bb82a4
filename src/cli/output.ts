import { fstatSync, readFileSync, write, writeSync } from 'node:fs'
import { constants } from 'node:os'
import type { Writable } from 'node:stream'
import { isNull } from '../base/files.ts'
import { packageFile } from '../base/package-file.ts'
import { visible } from '../base/text.ts'

/** vitrine's own exit codes, as for coreutils `timeout`. */
export const exitCode = { timedOut: 124, refused: 125, notExecutable: 126, notFound: 127 } as const

export function packageVersion(): string {
  const { version } = JSON.parse(readFileSync(packageFile('package.json'), 'utf8')) as { version: string }
  return version
}

/** Only a character device can be a terminal: for others node:tty is not loaded. */
export function isTerminal(fd: number): boolean {
  const stat = fstatSync(fd)
  if (!stat.isCharacterDevice() || isNull(stat)) return false
  return process.getBuiltinModule('node:tty').isatty(fd)
}

/** Moves to the first column and erases the line: ECMA-48, EL. */
export const eraseLine = '\r\u001b[K'

/**
 * A message on stderr: each line is marked, so that it cannot be taken for output of the command. It may quote foreign text, which must
 * not control the terminal. Tabs and line feeds stay.
 */
export function prefixed(message: string): string {
  const shown = message
    .split(/([\n\t])/)
    .map((part) => (part === '\n' || part === '\t' ? part : visible(part)))
    .join('')
  return shown.replace(/^/gm, 'vitrine: ').concat('\n')
}

/** Tells on stderr what vitrine itself has to say. */
export function tell(message: string): Promise<void> {
  return standardError.write(prefixed(message))
}

export interface Sink {
  /** Resolves when written in order; or when it cannot be: `broken` says why, the rest is dropped. */
  write(bytes: string | Uint8Array): Promise<void>
  /** The code of the system error that broke it, for example EPIPE. */
  readonly broken: string | undefined
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

/** Pipes and sockets: Node writes to them without blocking and reports when the bytes are written. */
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

interface Lane {
  last: Promise<void>
}

/**
 * Files, devices, terminals, and pipes that may be waited for. Node's stream for files drops what a nearly full disk did not
 * accept; its stream for terminals blocks (lib/tty.js), which delays deadlines and signals after Ctrl-S.
 */
class FileSink extends BreakableSink {
  readonly #fd: number
  readonly #lane: Lane

  constructor(fd: number, lane: Lane = { last: Promise.resolve() }) {
    super()
    this.#fd = fd
    this.#lane = lane
  }

  write(bytes: string | Uint8Array): Promise<void> {
    const buffer = typeof bytes === 'string' ? Buffer.from(bytes) : bytes
    this.#lane.last = this.#lane.last.then(() => this.#writeAll(buffer))
    return this.#lane.last
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

/** Resolves to the bytes written; 0 on EAGAIN, when another process has made the terminal non-blocking. */
function writeOnce(fd: number, bytes: Uint8Array): Promise<number> {
  return new Promise((resolve, reject) =>
    write(fd, bytes, (error, written) => {
      if (error?.code === 'EAGAIN') setTimeout(() => resolve(0), 10)
      else if (error) reject(error)
      else resolve(written)
    }),
  )
}

/** Opens its sink at the first write: Node's streams take time to load, and many commands print nothing. */
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

/** Windows has no user ids. Its consoles take text, not bytes, and Node does not block on them. */
const isWindows = process.getuid === undefined

/** Shared by both streams, which usually go to the same terminal, so that their output keeps its order. */
const terminals: Lane = { last: Promise.resolve() }

function sinkOf(fd: number, stream: () => Writable): Sink {
  const stat = fstatSync(fd)
  if (!stat.isFile() && !stat.isCharacterDevice()) return new StreamSink(stream())
  if (!isTerminal(fd)) return new FileSink(fd)
  return isWindows ? new StreamSink(stream()) : new FileSink(fd, terminals)
}

export const standardOutput: Sink = new LazySink(() => sinkOf(1, () => process.stdout))
export const standardError: Sink = new LazySink(() => sinkOf(2, () => process.stderr))

/** Prints all that a command has to say, without Node's streams and threads where it can: they take longer than a short command runs. */
export async function print(text: string, code = 0): Promise<number> {
  const sink = isWindows ? standardOutput : new FileSink(1, terminals)
  await sink.write(isWindows ? text : printedAtOnce(Buffer.from(text)))
  return sink.broken === undefined ? code : lostCode(sink.broken)
}

/** What could not be written at once, or failed to be. */
function printedAtOnce(bytes: Uint8Array): Uint8Array {
  let at = 0
  try {
    while (at < bytes.length) at += writeSync(1, bytes, at)
  } catch {}
  return bytes.subarray(at)
}

/** The exit code where output was lost: SIGPIPE's if the reader is gone; else says why. `isOfCommand`: which was ended for it. */
export async function lostCode(errno: string, isOfCommand = false): Promise<number> {
  if (errno === 'EPIPE') return 128 + constants.signals.SIGPIPE
  const ended = isOfCommand ? ', so vitrine ended the command' : ''
  return refuse(`The output could not be written (${errno})${ended}.`)
}

/** Tells why nothing ran. */
export async function refuse(said: string): Promise<number> {
  await tell(said)
  return exitCode.refused
}
