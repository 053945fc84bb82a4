import { onAbort } from './clock.ts'

interface Waiting {
  readonly start: () => void
  readonly owner: unknown
}

/**
 * Limits how many tasks run at once. Of the others, one of the owner with the fewest running is next, in order of arrival. With `more`, so many
 * owners without a running task do not wait for those that fill all places.
 */
export class Turns {
  readonly #max: number
  readonly #more: number
  /** Whose tasks run. */
  readonly #running: unknown[] = []
  readonly #waiting = new Set<Waiting>()

  constructor(max: number, { more = 0 }: { readonly more?: number } = {}) {
    this.#max = max
    this.#more = more
  }

  get waiting(): number {
    return this.#waiting.size
  }

  get running(): number {
    return this.#running.length
  }

  /** Runs the work when its turn comes. If the signal aborts earlier, leaves the queue and rejects. */
  async run<T>(work: () => Promise<T>, signal?: AbortSignal, owner?: unknown): Promise<T> {
    signal?.throwIfAborted()
    if (this.#isFree(owner)) this.#running.push(owner)
    else await this.#turn(signal, owner)
    try {
      return await work()
    } finally {
      this.#leave(owner)
    }
  }

  #turn(signal: AbortSignal | undefined, owner: unknown): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      const waiting = { start: resolve, owner }
      this.#waiting.add(waiting)
      const forget = onAbort(signal, () => {
        if (this.#waiting.delete(waiting)) reject(signal?.reason)
      })
      waiting.start = () => {
        forget()
        resolve()
      }
    })
  }

  #isFree(owner: unknown): boolean {
    const isNew = !this.#running.includes(owner)
    return this.#running.length < this.#max + (isNew ? this.#more : 0)
  }

  #leave(owner: unknown): void {
    this.#running.splice(this.#running.indexOf(owner), 1)
    const next = this.#next()
    if (!next || !this.#isFree(next.owner)) return
    this.#waiting.delete(next)
    this.#running.push(next.owner)
    next.start()
  }
  #next(): Waiting | undefined {
    const counts = new Map<unknown, number>()
    for (const owner of this.#running) counts.set(owner, (counts.get(owner) ?? 0) + 1)
    let next: Waiting | undefined
    for (const each of this.#waiting) {
      const isFewer = (counts.get(each.owner) ?? 0) < (counts.get(next?.owner) ?? 0)
      if (!next || isFewer) next = each
    }
    return next
  }
}
