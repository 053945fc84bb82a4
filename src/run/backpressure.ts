/** Who has to be done with output before more of it may come. */
export type Taker = 'collector' | 'listener'

/** Gives bytes back to the launcher once every taker has had them: a slow one slows the command down, not the memory up. */
export class Backpressure {
  readonly #giveBack: (bytes: number) => void
  readonly #taken: Record<Taker, number> = { collector: 0, listener: 0 }
  #arrived = 0
  #given = 0
  #released = false

  /** @param giveBack lets the launcher read that many bytes more */
  constructor(giveBack: (bytes: number) => void) {
    this.#giveBack = giveBack
  }

  arrived(bytes: number): void {
    this.#arrived += bytes
    if (this.#released) this.#giveUpTo(this.#arrived)
  }

  /** The listener has been called with that many bytes, and is done with them when the promise resolves. */
  offered(bytes: number, taking: Promise<void> | undefined): void {
    if (taking) void taking.finally(() => this.took('listener', bytes))
    else this.took('listener', bytes)
  }

  took(taker: Taker, bytes: number): void {
    this.#taken[taker] += bytes
    this.#giveUpTo(Math.min(this.#taken.collector, this.#taken.listener))
  }

  /** The command is being killed: what its pipes still hold is little, and its end must not wait for anybody. */
  release(): void {
    this.#released = true
    this.#giveUpTo(this.#arrived)
  }

  #giveUpTo(total: number): void {
    if (total <= this.#given) return
    this.#giveBack(total - this.#given)
    this.#given = total
  }
}
