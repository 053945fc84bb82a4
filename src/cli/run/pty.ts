import { spawnSync } from 'node:child_process'
import { constants } from 'node:os'
import { systemTool } from '../../base/paths.ts'
import type { ExecuteRequest, Pty, Result, Shell } from '../../internal.ts'
import { misuse } from '../arguments.ts'
import { isTerminal } from '../output.ts'
import { OutputRelay } from './relay.ts'
import type { RunArguments } from './request.ts'
import { afterLines, brokenPipeCode, exitCodeOf } from './result.ts'

/** Throws INVALID_REQUEST for options that conflict, or without a terminal to show it in. */
export function checkPty({ json, each }: RunArguments): void {
  if (json || each)
    throw misuse(
      `--pty shows one command in your terminal, so it cannot be combined with ${json ? '--json' : '--each'}.`,
    )
  checkTerminal('--pty')
}

/** @param what needs a terminal to be shown in. Throws INVALID_REQUEST. */
export function checkTerminal(what: '--pty' | 'vitrine shell'): void {
  if (isTerminal(0) && isTerminal(1)) return
  const instead =
    what === '--pty'
      ? 'Without --pty the command gets pipes.'
      : 'With another standard input the shell reads that as a script.'
  throw misuse(`${what} needs a terminal as standard input and standard output. ${instead}`)
}

/**
 * Runs one command in a terminal of its own, shown in ours; then tells what there is to tell of it. Resolves to the exit code.
 * Call `checkTerminal` first.
 */
export async function runInTerminal(
  shell: Shell,
  { merged: _, ...request }: ExecuteRequest,
  linesAbout: (result: Result) => readonly string[] = afterLines,
): Promise<number> {
  const terminal = new RawTerminal()
  const relay = new OutputRelay()
  const endings = attendSignals(relay)
  try {
    const pty = await shell.start(
      { ...request, ...windowSize(), pty: true },
      {
        signal: relay.signal,
        onOutput: (stream, chunk) => relay.pass(stream, chunk),
        save: request.scratchpad !== undefined,
      },
    )
    endings.pty = pty
    const result = await attached(pty, terminal, relay)
    const broken = await brokenPipeCode()
    if (broken === undefined) await relay.sayAfterwards(linesAbout(result))
    return broken ?? exitCodeOf(result)
  } catch (error) {
    // It was cancelled before it began.
    if (endings.code !== undefined && error === relay.signal.reason) return endings.code
    throw error
  } finally {
    endings.release()
  }
}

function windowSize(): { readonly columns?: number; readonly rows?: number } {
  const { columns, rows } = process.stdout
  return columns > 0 && rows > 0 ? { columns, rows } : {}
}

/** Connects both terminals until the command has ended and all its output is shown. */
async function attached(pty: Pty, terminal: RawTerminal, relay: OutputRelay): Promise<Result> {
  const leave = follow(pty, terminal)
  const keep = passOn(pty, relay)
  try {
    const result = await pty.result
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
  const ends = [listen(process.stdout, { resize }), listen(process, { SIGTSTP: stop, SIGCONT: goOn })]
  return () => {
    for (const end of ends) end()
    terminal.end()
  }
}

/** Passes typed input on as fast as it is consumed. Returns a function that stops this. */
function passOn(pty: Pty, relay: OutputRelay): () => void {
  const { stdin } = process
  let passing = true
  const data = (typed: Buffer) => {
    stdin.pause()
    void pty.write(typed).then(() => passing && stdin.resume())
  }
  // Our terminal is gone.
  const gone = () => relay.cancel()
  const end = listen(stdin, { data, end: gone, error: gone, close: gone })
  // An approver may have read a key from it before and paused it.
  stdin.resume()
  return () => {
    passing = false
    end()
    stdin.pause()
  }
}

/** Returns a function that takes the listeners off again. */
function listen(
  emitter: NodeJS.EventEmitter,
  listeners: Readonly<Record<string, (given: never) => void>>,
): () => void {
  const entries = Object.entries(listeners) as [string, () => void][]
  for (const [name, listener] of entries) emitter.on(name, listener)
  return () => {
    for (const [name, listener] of entries) emitter.off(name, listener)
  }
}

interface Endings {
  /** What interrupts are forwarded to. */
  pty?: Pty
  /** Set by the first signal that ends us. */
  code?: number
  release(): void
}

/** The first interrupt is forwarded; a second one, and signals that end us, end the command. */
function attendSignals(relay: OutputRelay): Endings {
  let interrupted = false
  const end = (name: NodeJS.Signals) => {
    endings.code ??= 128 + constants.signals[name]
    relay.cancel()
  }
  const interrupt = (name: NodeJS.Signals) => {
    if (!endings.pty || (name === 'SIGINT' && interrupted)) return end(name)
    interrupted ||= name === 'SIGINT'
    endings.pty.kill(name)
  }
  const release = listen(process, { SIGTERM: end, SIGHUP: end, SIGINT: interrupt, SIGQUIT: interrupt })
  const endings: Endings = { release }
  return endings
}

/** Our terminal in raw mode by stty(1): Node's raw mode still turns the command's line feeds into CR LF. */
class RawTerminal {
  readonly #settings: string
  #isRaw = false

  /** Throws INVALID_REQUEST if the settings cannot be read: they could not be restored. */
  constructor() {
    const { status, stdout } = stty('-g')
    if (status !== 0)
      throw misuse(
        'A terminal for the command needs the program stty (coreutils, busybox), to set up and restore yours; it is missing or failed.',
      )
    this.#settings = stdout.trim()
  }

  begin(): void {
    this.#isRaw = true
    // Restores the settings however this process ends, unless it is killed.
    process.on('exit', this.end)
    stty('raw', '-echo', '-iexten')
  }

  readonly end = (): void => {
    if (this.#isRaw) stty(this.#settings)
    this.#isRaw = false
    process.off('exit', this.end)
  }
}

/** stty waits for pending terminal output, possibly forever: hence the limit of one second. */
function stty(...settings: readonly string[]) {
  return spawnSync(systemTool('stty') ?? '/bin/stty', settings, {
    stdio: [0, 'pipe', 'ignore'],
    encoding: 'utf8',
    timeout: 1000,
  })
}
