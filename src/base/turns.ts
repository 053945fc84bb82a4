interface Waiting {
  readonly start: () => void
  readonly owner: unknown
}

/**
 * Limits how many tasks run at once; the others wait in order of arrival, those of owners that have one running after the others.
 * With `more`, so many owners without a running task do not wait for those that fill all places.
 */
export class Turns {
  readonly #max: number
  readonly #more: number
  /** Whose tasks run. */
  readonly #running: unknown[] = []
  #waiting: readonly Waiting[] = []

  constructor(max: number, { more = 0 }: { readonly more?: number } = {}) {
    this.#max = max
    this.#more = more
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
    if (this.#isFree(owner)) {
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

  #isFree(owner: unknown): boolean {
    const isNew = !this.#running.includes(owner)
    return this.#running.length < this.#max + (isNew ? this.#more : 0)
  }

  #leave(owner: unknown): void {
    this.#running.splice(this.#running.indexOf(owner), 1)
    const next = this.#waiting.find((other) => !this.#running.includes(other.owner)) ?? this.#waiting[0]
    if (!next || !this.#isFree(next.owner)) return
    this.#waiting = this.#waiting.filter((other) => other !== next)
    this.#running.push(next.owner)
    next.start()
  }
}
