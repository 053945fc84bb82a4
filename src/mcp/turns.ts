/** Lets a number of calls run at once; the others wait in the order they came. */
export class Turns {
  readonly #most: number
  #running = 0
  #waiting: (() => void)[] = []

  constructor(most: number) {
    this.#most = most
  }

  /** How many calls wait. */
  get waiting(): number {
    return this.#waiting.length
  }

  /** Runs the work when it is its turn. A signal that aborts takes it out of the queue, and rejects. */
  async run<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    await this.#enter(signal)
    try {
      return await work()
    } finally {
      this.#leave()
    }
  }

  async #enter(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    if (this.#running < this.#most) {
      this.#running++
      return
    }
    await new Promise<void>((resolve, reject) => {
      const start = () => {
        signal.removeEventListener('abort', giveUp)
        resolve()
      }
      const giveUp = () => {
        this.#waiting = this.#waiting.filter((other) => other !== start)
        reject(signal.reason)
      }
      signal.addEventListener('abort', giveUp, { once: true })
      this.#waiting.push(start)
    })
  }

  /** The place goes to the next in line, or is free. */
  #leave(): void {
    const next = this.#waiting.shift()
    if (next) next()
    else this.#running--
  }
}
