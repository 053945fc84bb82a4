import { fstatSync, readFileSync, write, writeSync } from 'node:fs'
import { constants } from 'node:os'
import { errorReason } from '../base/errno.ts'
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

/** Shared by the streams that go to a terminal, usually the same one, so that their output keeps its order. */
const terminals = { last: Promise.resolve() }

/**
 * Writes to a descriptor of ours without Node's streams: they take time to load, that for files drops what a nearly full disk did
 * not accept, and that for terminals blocks (lib/tty.js), which delays deadlines and signals after Ctrl-S.
 */
export class Sink {
  /** The code of the system error that broke it, for example EPIPE. */
  broken: string | undefined
  onBroken: () => void = () => {}
  readonly #fd: number
  #lane: typeof terminals | undefined

  constructor(fd: number) {
    this.#fd = fd
  }

  /** Resolves when written in order; or when it cannot be: `broken` says why, the rest is dropped. */
  write(bytes: string | Uint8Array): Promise<void> {
    const buffer = typeof bytes === 'string' ? Buffer.from(bytes) : bytes
    this.#lane ??= isTerminal(this.#fd) ? terminals : { last: Promise.resolve() }
    this.#lane.last = this.#lane.last.then(() => this.#writeAll(buffer))
    return this.#lane.last
  }

  async #writeAll(bytes: Uint8Array): Promise<void> {
    const writeOnce = isWindows && !fstatSync(this.#fd).isFile() ? writeOnWindows : writeSome
    try {
      for (let at = 0; at < bytes.length && this.broken === undefined; )
        at += await writeOnce(this.#fd, bytes.subarray(at))
    } catch (error) {
      this.broken = errorReason(error)
      this.onBroken()
    }
  }
}

/** Windows has no user ids. */
const isWindows = process.getuid === undefined

/** Resolves to the bytes written; 0 on EAGAIN, when another process has made the pipe or terminal non-blocking. */
function writeSome(fd: number, bytes: Uint8Array): Promise<number> {
  return new Promise((resolve, reject) =>
    write(fd, bytes, (error, written) => {
      if (error?.code === 'EAGAIN') setTimeout(() => resolve(0), 10)
      else if (error) reject(error)
      else resolve(written)
    }),
  )
}

/** Its consoles take text, not bytes, and Node does not block on them. */
function writeOnWindows(fd: number, bytes: Uint8Array): Promise<number> {
  const stream = fd === 1 ? process.stdout : process.stderr
  return new Promise((resolve, reject) => {
    stream.once('error', reject)
    stream.write(bytes, () => {
      stream.off('error', reject)
      resolve(bytes.length)
    })
  })
}

export const standardOutput = new Sink(1)
export const standardError = new Sink(2)

/** Prints all that a command has to say, without Node's threads where it can: they take longer than a short command runs. */
export async function print(text: string, code = 0): Promise<number> {
  await standardOutput.write(isWindows ? text : printedAtOnce(Buffer.from(text)))
  return standardOutput.broken === undefined ? code : lostCode(standardOutput.broken)
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
  return refuse(lostOutput(errno, isOfCommand))
}

export function lostOutput(errno: string, isOfCommand: boolean): string {
  const ended = isOfCommand ? ', so vitrine ended the command' : ''
  return `The output could not be written (${errno})${ended}.`
}

/** Tells why nothing ran. */
export async function refuse(said: string): Promise<number> {
  await tell(said)
  return exitCode.refused
}
