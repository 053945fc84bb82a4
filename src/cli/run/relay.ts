import { monotonicMs } from '../../base/clock.ts'
import { sizeText } from '../../base/text.ts'
import { eraseLine, isTerminal, prefixed, standardError, standardOutput } from '../output.ts'

type Stream = 'stdout' | 'stderr'

const newline = 0x0a

/** Passes a command's output on to ours: unchanged, and only as fast as it is consumed. */
export class OutputRelay {
  readonly #sinks = { stdout: standardOutput, stderr: standardError }
  readonly #isTerminal: Readonly<Record<Stream, boolean>> = { stdout: isTerminal(1), stderr: isTerminal(2) }
  #status: StatusLine | undefined
  #cancelling: AbortController | undefined
  /** The reader is gone or writing failed: the command has no more purpose. */
  onCancel: () => void = () => this.#cancelling?.abort()
  readonly #last: Partial<Record<Stream, Promise<void>>> = {}
  /** The command has left a line unfinished where vitrine's own lines go. */
  #midLine = false

  constructor() {
    for (const sink of Object.values(this.#sinks)) sink.onBroken = () => this.cancel()
  }

  /** Made where it is needed: a signal with its listener takes as long as a hundredth of Node's start. */
  get signal(): AbortSignal {
    this.#cancelling ??= new AbortController()
    return this.#cancelling.signal
  }

  cancel(): void {
    this.onCancel()
  }

  begin(): void {
    if (this.#isTerminal.stderr) this.#status ??= new StatusLine((text) => this.#say(text))
  }

  #say(text: string): void {
    this.#last.stderr = standardError.write(text)
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

  async sayAfterwards(lines: readonly string[]): Promise<void> {
    if (lines.length > 0)
      await standardError.write((this.#midLine ? '\n' : '') + lines.map(prefixed).join(''))
  }
}

/** Long enough that a quick command shows no status line. */
const firstMs = 2000
const everyMs = 500

/** A terminal line saying that a command still runs; it is erased before the command's own output. */
class StatusLine {
  readonly #write: (text: string) => void
  readonly #started = monotonicMs()
  readonly #every = setInterval(() => this.#show(), everyMs)
  #bytes = 0
  #shown = false
  #atLineStart = true

  constructor(write: (text: string) => void) {
    this.#write = write
  }

  count(chunk: Uint8Array): void {
    this.#bytes += chunk.length
  }

  /** Call before output of the command is written to the terminal. */
  giveWay(chunk: Uint8Array): void {
    this.#atLineStart = chunk.at(-1) === 0x0a
    this.#erase()
  }

  end(): void {
    clearInterval(this.#every)
    this.#erase()
  }

  // In the middle of a line it would overwrite the command's output.
  #show(): void {
    const passed = monotonicMs() - this.#started
    if (passed < firstMs || !this.#atLineStart) return
    const seconds = Math.round(passed / 1000)
    this.#write(`${eraseLine}vitrine: running for ${seconds} s, ${sizeText(this.#bytes)} of output`)
    this.#shown = true
  }

  #erase(): void {
    if (this.#shown) this.#write(eraseLine)
    this.#shown = false
  }
}
