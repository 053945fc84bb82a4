import { constants } from 'node:os'
import type { Pty, Result, Shell } from '../index.ts'
import { ptyAlone, ptyWithoutTerminal } from '../result/explain-cli.ts'
import { misuse } from './options.ts'
import type { Order } from './order.ts'
import { brokenCode, codeOf } from './outcome.ts'
import { Passage } from './passage.ts'
import { RawTerminal } from './raw.ts'
import { isTerminal } from './terminal.ts'

/** `vitrine run --pty`: one command in a terminal of its own, shown in ours. Call `checkPty` first. */
export async function runInTerminal(shell: Shell, order: Pick<Order, 'requests'>): Promise<number> {
  const terminal = new RawTerminal()
  const passage = new Passage()
  const endings = new Endings(passage)
  try {
    const pty = await startIn(shell, order, passage)
    const result = await attached(pty, terminal, passage, endings)
    const broken = await brokenCode()
    if (broken === undefined) await passage.sayAfterwards([result])
    return broken ?? codeOf(result)
  } catch (error) {
    // It was called off before it began.
    if (endings.code !== undefined && error === passage.signal.reason) return endings.code
    throw error
  } finally {
    endings.release()
  }
}

/** Throws INVALID_REQUEST for what does not go together, or has no terminal to be shown in. */
export function checkPty({ json, each }: Order): void {
  if (json || each) throw misuse(ptyAlone(json ? '--json' : '--each'))
  if (!isTerminal(0) || !isTerminal(1)) throw misuse(ptyWithoutTerminal)
}

function startIn(shell: Shell, { requests }: Pick<Order, 'requests'>, passage: Passage): Promise<Pty> {
  const { merged: _, ...request } = requests[0] ?? {}
  return shell.start(
    { ...request, ...windowSize(), pty: true },
    {
      signal: passage.signal,
      onOutput: (stream, chunk) => passage.pass(stream, chunk),
      save: request.scratchpad !== undefined,
    },
  )
}

/** Undefined where the terminal does not say. */
function windowSize(): { readonly columns?: number; readonly rows?: number } {
  const { columns, rows } = process.stdout
  return columns > 0 && rows > 0 ? { columns, rows } : {}
}

/** Both terminals are one, until the command has ended and everything is shown. */
async function attached(
  pty: Pty,
  terminal: RawTerminal,
  passage: Passage,
  endings: Endings,
): Promise<Result> {
  const follow = () => {
    const { columns, rows } = windowSize()
    if (columns && rows) pty.resize(columns, rows)
  }
  const stop = () => {
    terminal.end()
    process.kill(process.pid, 'SIGSTOP')
  }
  // Whoever has stopped us may have given the terminal settings of his own.
  const goOn = () => {
    terminal.begin()
    follow()
  }
  terminal.begin()
  process.stdout.on('resize', follow)
  process.on('SIGTSTP', stop)
  process.on('SIGCONT', goOn)
  endings.attend(pty)
  const keep = passOn(pty, passage)
  try {
    const result = await pty.result
    await passage.flushed()
    return result
  } finally {
    process.stdout.off('resize', follow)
    process.off('SIGTSTP', stop)
    process.off('SIGCONT', goOn)
    keep()
    terminal.end()
  }
}

/** What is typed goes to the command, and no faster than it is taken. Returns how to keep what is typed from then on. */
function passOn(pty: Pty, passage: Passage): () => void {
  const { stdin } = process
  let passing = true
  const pass = (typed: Buffer) => {
    stdin.pause()
    void pty.write(typed).then(() => passing && stdin.resume())
  }
  // Our terminal has gone.
  const gone = () => passage.cancel()
  const ends = ['end', 'error', 'close']
  stdin.on('data', pass)
  // It may have been read from before, for a line of a shell.
  stdin.resume()
  for (const event of ends) stdin.on(event, gone)
  return () => {
    passing = false
    stdin.off('data', pass)
    for (const event of ends) stdin.off(event, gone)
    stdin.pause()
  }
}

/** What signals to us do to the command: an interrupt reaches it, the second one and those that end us end it. */
class Endings {
  /** Set by the first signal that ends us. */
  code: number | undefined
  #pty: Pty | undefined
  #interrupted = false
  readonly #listeners: readonly (readonly [NodeJS.Signals, (name: NodeJS.Signals) => void])[]

  constructor(passage: Passage) {
    const end = (name: NodeJS.Signals) => {
      this.code ??= 128 + constants.signals[name]
      passage.cancel()
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
