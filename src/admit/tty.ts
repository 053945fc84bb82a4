import { closeSync, openSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { isatty, ReadStream, WriteStream } from 'node:tty'
import { statFields } from '../base/process.ts'

const ending: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT']

/** Keys; `quiet`: none within the given time; `over`: no more will come. */
export type TerminalInput = Uint8Array | 'quiet' | 'over'

/** A terminal in raw mode. `close` restores the previous mode, also after a signal. */
export class Terminal {
  readonly #input: ReadStream
  readonly #output: WriteStream
  #keys: Buffer[] = []
  #isOver = false
  #signalled: NodeJS.Signals | undefined
  #wake: () => void = () => {}

  /** Undefined where the process has no terminal (ENXIO), or may not open it. */
  static open(path: string): Terminal | undefined {
    let fd: number
    try {
      fd = openSync(path, 'r+')
    } catch {
      return undefined
    }
    if (!isatty(fd)) {
      closeSync(fd)
      return undefined
    }
    const terminal = new Terminal(new ReadStream(fd), new WriteStream(openSync(path, 'w')))
    if (!terminal.#isOver) return terminal
    terminal.close()
    return undefined
  }

  private constructor(input: ReadStream, output: WriteStream) {
    this.#input = input
    this.#output = output
    for (const event of ['end', 'close', 'error']) input.on(event, this.#finish)
    output.on('error', this.#finish)
    // A failure (EIO for a background process of an orphaned process group) arrives as an `error` event.
    input.setRawMode(true)
    input.on('data', (keys: Buffer) => {
      this.#keys.push(keys)
      this.#wake()
    })
    for (const name of ending) process.on(name, this.#onSignal)
  }

  /** Characters in a row; 0 when the terminal does not report it. */
  get columns(): number {
    return this.#output.columns
  }

  /** By the input stream, which does not block: node:tty's output would while the terminal is stalled. */
  write(text: string): void {
    if (this.#input.writable) this.#input.write(text.replaceAll('\n', '\r\n'))
  }

  /** Waits for keys, at most `withinMs` when it is given. */
  async read(withinMs?: number): Promise<TerminalInput> {
    if (this.#keys.length === 0 && !this.#isOver) await this.#wait(withinMs)
    if (this.#isOver) return 'over'
    const keys = Buffer.concat(this.#keys.splice(0))
    return keys.length === 0 ? 'quiet' : keys
  }

  readonly stop = (): void => this.#finish()

  /** Restores the terminal. A signal received meanwhile ends the process, unless it has another handler. */
  close(): void {
    this.#isOver = true
    for (const name of ending) process.off(name, this.#onSignal)
    this.#input.setRawMode(false)
    this.#input.destroy()
    this.#output.destroy()
    const name = this.#signalled
    if (name && process.listenerCount(name) === 0) process.kill(process.pid, name)
  }

  readonly #onSignal = (name: NodeJS.Signals): void => {
    this.#signalled = name
    this.#finish()
  }

  readonly #finish = (): void => {
    this.#isOver = true
    this.#wake()
  }

  #wait(withinMs: number | undefined): Promise<void> {
    return new Promise((resolve) => {
      const timer = withinMs === undefined ? undefined : setTimeout(resolve, withinMs)
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
}

const againMs = 100

/**
 * Waits until no other process asks at this terminal: an answer could reach the wrong question, and each
 * would restore the other's raw mode. Resolves to a function that ends the turn; undefined if the signal
 * aborts first.
 */
export async function takeTurn(signal: AbortSignal): Promise<(() => void) | undefined> {
  const name = terminalName()
  // Without /proc there is no name that becomes free when its process ends, however it ends.
  if (name === undefined) return () => {}
  while (!signal.aborted) {
    const server = await listen(name)
    if (server) return () => server.close()
    await new Promise((resolve) => setTimeout(resolve, againMs))
  }
  return undefined
}

/** The abstract socket (unix(7)) of the controlling terminal, by its device (tty_nr). */
function terminalName(): string | undefined {
  const device = statFields('self')?.[7]
  return device === undefined ? undefined : `\0vitrine-asks-at-${device}`
}

/** Undefined when another process has the name. Connections are closed at once. */
function listen(name: string): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer((connection) => connection.destroy())
    server.unref()
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(undefined) : reject(error),
    )
    server.listen(name, () => resolve(server))
  })
}
