import { constants } from 'node:os'
import type { ExecuteRequest, LineOptions, Pty, Shell } from '../../internal.ts'
import { brokenPipeCode, exitCodeOf } from './exit-code.ts'
import { RawTerminal } from './raw-terminal.ts'
import { OutputRelay } from './relay.ts'

/** A command in a terminal of its own, shown in ours while it is in the foreground. */
export class TerminalCommand {
  readonly #pty: Pty
  readonly #relay: OutputRelay
  readonly #terminal: RawTerminal
  readonly #hold: OutputHold
  #endings: Endings | undefined
  #stopped: (() => void) | undefined

  /** An exit code if a signal cancelled it before it began. `line`: a line of a session can be stopped. */
  static async start(
    shell: Shell,
    request: ExecuteRequest,
    line?: Pick<LineOptions, 'variables' | 'exitCode' | 'onState'>,
  ): Promise<TerminalCommand | number> {
    const terminal = new RawTerminal()
    const relay = new OutputRelay()
    const endings = new Endings(relay)
    const hold = new OutputHold()
    let onStopped = () => {}
    try {
      const options = line && { ...line, onStopped: () => onStopped() }
      const pty = await startIn(shell, request, relay, hold, options)
      const command = new TerminalCommand(pty, relay, terminal, endings, hold)
      onStopped = () => command.#stopped?.()
      return command
    } catch (error) {
      endings.release()
      // It was cancelled before it began.
      if (endings.code !== undefined && error === relay.signal.reason) return endings.code
      throw error
    }
  }

  private constructor(
    pty: Pty,
    relay: OutputRelay,
    terminal: RawTerminal,
    endings: Endings,
    hold: OutputHold,
  ) {
    this.#pty = pty
    this.#relay = relay
    this.#terminal = terminal
    this.#endings = endings
    this.#hold = hold
  }

  async foreground(): Promise<number | 'stopped'> {
    const isResumed = this.#endings === undefined
    const endings = this.#endings ?? new Endings(this.#relay)
    this.#endings = undefined
    try {
      const stopped = new Promise<'stopped'>((resolve) => {
        this.#stopped = () => resolve('stopped')
      })
      const ending = Promise.race([this.#pty.result, stopped])
      this.#hold.open()
      if (isResumed) this.#pty.resume()
      const result = await attached(this.#pty, ending, this.#terminal, this.#relay, endings)
      if (result === 'stopped') {
        this.#hold.close()
        return result
      }
      const broken = await brokenPipeCode()
      if (broken === undefined) await this.#relay.sayAfterwards([result])
      return broken ?? exitCodeOf(result)
    } finally {
      endings.release()
    }
  }

  takeUnread(): Uint8Array {
    return this.#pty.takeUnread()
  }
}

/** Holds back the command's output while it is not in the foreground. */
class OutputHold {
  #isOpen = true
  #waiting: (() => void)[] = []

  open(): void {
    this.#isOpen = true
    for (const pass of this.#waiting.splice(0)) pass()
  }

  close(): void {
    this.#isOpen = false
  }

  pass(write: () => Promise<void>): Promise<void> {
    if (this.#isOpen) return write()
    return new Promise((resolve) => {
      this.#waiting.push(() => resolve(write()))
    })
  }
}

function startIn(
  shell: Shell,
  { merged: _, ...request }: ExecuteRequest,
  relay: OutputRelay,
  hold: OutputHold,
  line: LineOptions | undefined,
): Promise<Pty> {
  return shell.start(
    { ...request, ...windowSize(), pty: true },
    {
      signal: relay.signal,
      onOutput: (stream, chunk) => hold.pass(() => relay.pass(stream, chunk)),
      save: request.scratchpad !== undefined,
      line,
    },
  )
}

function windowSize(): { readonly columns?: number; readonly rows?: number } {
  const { columns, rows } = process.stdout
  return columns > 0 && rows > 0 ? { columns, rows } : {}
}

/** Connects both terminals until the command has ended and all its output is shown. */
async function attached<R>(
  pty: Pty,
  ending: Promise<R>,
  terminal: RawTerminal,
  relay: OutputRelay,
  endings: Endings,
): Promise<R> {
  const leave = follow(pty, terminal)
  endings.attend(pty)
  const keep = passOn(pty, relay)
  try {
    const result = await ending
    await relay.flushed()
    return result
  } finally {
    keep()
    leave()
  }
}

/** Puts our terminal into raw mode, and follows its size and job control. Returns a function that stops this. */
function follow(pty: Pty, terminal: RawTerminal): () => void {
  const resize = () => {
    const { columns, rows } = windowSize()
    if (columns && rows) pty.resize(columns, rows)
  }
  const stop = () => {
    terminal.end()
    process.kill(process.pid, 'SIGSTOP')
  }
  // While we were stopped, another process may have changed the terminal's settings.
  const goOn = () => {
    terminal.begin()
    resize()
  }
  terminal.begin()
  process.stdout.on('resize', resize)
  process.on('SIGTSTP', stop)
  process.on('SIGCONT', goOn)
  return () => {
    process.stdout.off('resize', resize)
    process.off('SIGTSTP', stop)
    process.off('SIGCONT', goOn)
    terminal.end()
  }
}

/** Passes typed input on as fast as it is consumed. Returns a function that stops this. */
function passOn(pty: Pty, relay: OutputRelay): () => void {
  const { stdin } = process
  let passing = true
  const pass = (typed: Buffer) => {
    stdin.pause()
    void pty.write(typed).then(() => passing && stdin.resume())
  }
  // Our terminal is gone.
  const gone = () => relay.cancel()
  const ends = ['end', 'error', 'close']
  stdin.on('data', pass)
  // A shell may have read a line from it before and paused it.
  stdin.resume()
  for (const event of ends) stdin.on(event, gone)
  return () => {
    passing = false
    stdin.off('data', pass)
    for (const event of ends) stdin.off(event, gone)
    stdin.pause()
  }
}

/** The first interrupt is forwarded; a second one, and signals that end us, end the command. */
class Endings {
  /** Set by the first signal that ends us. */
  code: number | undefined
  #pty: Pty | undefined
  #interrupted = false
  readonly #listeners: readonly (readonly [NodeJS.Signals, (name: NodeJS.Signals) => void])[]

  constructor(relay: OutputRelay) {
    const end = (name: NodeJS.Signals) => {
      this.code ??= 128 + constants.signals[name]
      relay.cancel()
    }
    const interrupt = (name: NodeJS.Signals) => {
      if (!this.#pty || (name === 'SIGINT' && this.#interrupted)) return end(name)
      this.#interrupted ||= name === 'SIGINT'
      this.#pty.kill(name)
    }
    this.#listeners = [
      ['SIGTERM', end],
      ['SIGHUP', end],
      ['SIGINT', interrupt],
      ['SIGQUIT', interrupt],
    ]
    for (const [name, listener] of this.#listeners) process.on(name, listener)
  }

  release(): void {
    for (const [name, listener] of this.#listeners) process.off(name, listener)
  }

  attend(pty: Pty): void {
    this.#pty = pty
  }
}
