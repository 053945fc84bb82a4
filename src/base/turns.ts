/** Limits how many tasks run at once; the others wait in order of arrival. */
export class Turns {
  readonly #max: number
  #running = 0
  #waiting: (() => void)[] = []

  constructor(max: number) {
    this.#max = max
  }

  get waiting(): number {
    return this.#waiting.length
  }

  /** Runs the work when its turn comes. If the signal aborts earlier, leaves the queue and rejects. */
  async run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    await this.#enter(signal)
    try {
      return await work()
    } finally {
      this.#leave()
    }
  }

  async #enter(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted()
    if (this.#running < this.#max) {
      this.#running++
      return
    }
    await new Promise<void>((resolve, reject) => {
      const start = () => {
        signal?.removeEventListener('abort', giveUp)
        resolve()
      }
      const giveUp = () => {
        this.#waiting = this.#waiting.filter((other) => other !== start)
        reject(signal?.reason)
      }
      signal?.addEventListener('abort', giveUp, { once: true })
      this.#waiting.push(start)
    })
  }

  #leave(): void {
    const next = this.#waiting.shift()
    if (next) next()
    else this.#running--
  }
}
