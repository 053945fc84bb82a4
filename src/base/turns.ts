interface Waiting {
  readonly start: () => void
  readonly owner: unknown
}

/** Limits how many tasks run at once; the others wait in order of arrival, those of owners that have one running after the others. */
export class Turns {
  readonly #max: number
  /** Whose tasks run. */
  readonly #running: unknown[] = []
  #waiting: readonly Waiting[] = []

  constructor(max: number) {
    this.#max = max
  }

  get waiting(): number {
    return this.#waiting.length
  }

  /** Runs the work when its turn comes. If the signal aborts earlier, leaves the queue and rejects. */
  async run<T>(work: () => Promise<T>, signal?: AbortSignal, owner?: unknown): Promise<T> {
    await this.#enter(signal, owner)
    try {
      return await work()
    } finally {
      this.#leave(owner)
    }
  }

  async #enter(signal: AbortSignal | undefined, owner: unknown): Promise<void> {
    signal?.throwIfAborted()
    if (this.#running.length < this.#max) {
      this.#running.push(owner)
      return
    }
    await new Promise<void>((resolve, reject) => {
      const start = () => {
        signal?.removeEventListener('abort', giveUp)
        resolve()
      }
      const giveUp = () => {
        this.#waiting = this.#waiting.filter((other) => other.start !== start)
        reject(signal?.reason)
      }
      signal?.addEventListener('abort', giveUp, { once: true })
      this.#waiting = [...this.#waiting, { start, owner }]
    })
  }

  #leave(owner: unknown): void {
    this.#running.splice(this.#running.indexOf(owner), 1)
    const next = this.#waiting.find((other) => !this.#running.includes(other.owner)) ?? this.#waiting[0]
    if (!next) return
    this.#waiting = this.#waiting.filter((other) => other !== next)
    this.#running.push(next.owner)
    next.start()
  }
}
