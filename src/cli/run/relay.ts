import type { Result } from '../../internal.ts'
import { afterLines, prefixed } from '../../messages/cli/run.ts'
import { isTerminal } from '../terminal.ts'
import { type Sink, standardError, standardOutput } from './sink.ts'
import { StatusLine } from './status.ts'

type Stream = 'stdout' | 'stderr'

const newline = 0x0a

/** Passes a command's output on to ours: unchanged, and only as fast as it is consumed. */
export class OutputRelay {
  readonly #sinks: Readonly<Record<Stream, Sink>> = { stdout: standardOutput, stderr: standardError }
  readonly #isTerminal: Readonly<Record<Stream, boolean>> = { stdout: isTerminal(1), stderr: isTerminal(2) }
  #status: StatusLine | undefined
  readonly #cancel = new AbortController()
  readonly #last: Partial<Record<Stream, Promise<void>>> = {}
  /** The command has left a line unfinished where vitrine's own lines go. */
  #midLine = false

  constructor() {
    // The reader is gone or writing failed: the command has no more purpose.
    for (const sink of Object.values(this.#sinks)) sink.onBroken = () => this.#cancel.abort()
  }

  get signal(): AbortSignal {
    return this.#cancel.signal
  }

  cancel(): void {
    this.#cancel.abort()
  }

  begin(): void {
    if (this.#isTerminal.stderr) this.#status ??= new StatusLine((text) => void standardError.write(text))
  }

  pass(stream: Stream, chunk: Buffer): Promise<void> {
    this.#status?.count(chunk)
    if (this.#isTerminal[stream]) this.#status?.giveWay(chunk)
    if (stream === 'stderr' || (this.#isTerminal.stdout && this.#isTerminal.stderr))
      this.#midLine = chunk.at(-1) !== newline
    const taken = this.#sinks[stream].write(chunk)
    this.#last[stream] = taken
    return taken
  }

  /** The command has ended, or the user is being asked: hides the status line. */
  end(): void {
    this.#status?.end()
    this.#status = undefined
  }

  async flushed(): Promise<void> {
    await Promise.all([this.#last.stdout, this.#last.stderr])
  }

  async sayAfterwards(results: readonly Result[], more: readonly string[] = []): Promise<void> {
    const lines = [...results.flatMap(afterLines), ...more].map(prefixed)
    if (lines.length > 0) await standardError.write((this.#midLine ? '\n' : '') + lines.join(''))
  }
}
