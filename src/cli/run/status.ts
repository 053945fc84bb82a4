import { monotonicMs } from '../../base/clock.ts'
import { runningLine } from '../../messages/cli/run.ts'
import { eraseLine } from '../terminal.ts'

/** Long enough that a quick command shows no status line. */
const firstMs = 2000
const everyMs = 500

/** A terminal line saying that a command still runs; it is erased before the command's own output. */
export class StatusLine {
  readonly #write: (text: string) => void
  readonly #started = monotonicMs()
  readonly #first: NodeJS.Timeout
  #every: NodeJS.Timeout | undefined
  #bytes = 0
  #shown = false
  #atLineStart = true

  constructor(write: (text: string) => void) {
    this.#write = write
    this.#first = setTimeout(() => {
      this.#show()
      this.#every = setInterval(() => this.#show(), everyMs)
    }, firstMs)
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
    clearTimeout(this.#first)
    clearInterval(this.#every)
    this.#erase()
  }

  // In the middle of a line it would overwrite the command's output.
  #show(): void {
    if (!this.#atLineStart) return
    this.#write(eraseLine + runningLine(monotonicMs() - this.#started, this.#bytes))
    this.#shown = true
  }

  #erase(): void {
    if (this.#shown) this.#write(eraseLine)
    this.#shown = false
  }
}
