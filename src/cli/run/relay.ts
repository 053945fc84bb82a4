import type { Result } from '../../internal.ts'
import { afterLines, prefixed } from '../../messages/cli/run.ts'
import { StatusLine } from '../status.ts'
import { isTerminal } from '../terminal.ts'
import { type Sink, standardError, standardOutput } from './sink.ts'

type Stream = 'stdout' | 'stderr'

const newline = 0x0a

/** The way of a command's output to ours: byte for byte, and no faster than it is taken. */
export class Passage {
  readonly #sinks: Readonly<Record<Stream, Sink>> = { stdout: standardOutput, stderr: standardError }
  readonly #isTerminal: Readonly<Record<Stream, boolean>> = { stdout: isTerminal(1), stderr: isTerminal(2) }
  #status: StatusLine | undefined
  readonly #cancel = new AbortController()
  readonly #last: Partial<Record<Stream, Promise<void>>> = {}
  /** Whether the command has left a line unfinished where our own lines go. */
  #midLine = false

  constructor() {
    // Nobody reads any more, or nothing more can be written: the command has nothing left to do.
    for (const sink of Object.values(this.#sinks)) sink.onBroken = () => this.#cancel.abort()
  }

  /** Ends the command when its output can go nowhere. */
  get signal(): AbortSignal {
    return this.#cancel.signal
  }

  /** Ends the command. */
  cancel(): void {
    this.#cancel.abort()
  }

  /** A command starts, or goes on being awaited. */
  begin(): void {
    if (this.#isTerminal.stderr) this.#status ??= new StatusLine((text) => void standardError.write(text))
  }

  /** Resolves when the bytes have been taken. */
  pass(stream: Stream, chunk: Buffer): Promise<void> {
    this.#status?.count(chunk)
    if (this.#isTerminal[stream]) this.#status?.giveWay(chunk)
    if (stream === 'stderr' || (this.#isTerminal.stdout && this.#isTerminal.stderr))
      this.#midLine = chunk.at(-1) !== newline
    const taken = this.#sinks[stream].write(chunk)
    this.#last[stream] = taken
    return taken
  }

  /** The command has ended, or somebody is asked: the terminal is not ours. */
  end(): void {
    this.#status?.end()
    this.#status = undefined
  }

  /** Resolves when everything that was passed has been taken. */
  async flushed(): Promise<void> {
    await Promise.all([this.#last.stdout, this.#last.stderr])
  }

  /** vitrine's own lines on commands that have ended. */
  async sayAfterwards(results: readonly Result[], more: readonly string[] = []): Promise<void> {
    const lines = [...results.flatMap(afterLines), ...more].map(prefixed)
    if (lines.length > 0) await standardError.write((this.#midLine ? '\n' : '') + lines.join(''))
  }
}
