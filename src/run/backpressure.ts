/** Each must finish with output before the launcher reads more. */
export type OutputConsumer = 'collector' | 'listener'

/** Credits bytes to the launcher once every consumer has taken them: slow consumers slow the command. */
export class Backpressure {
  readonly #giveBack: (bytes: number) => void
  readonly #taken: Record<OutputConsumer, number> = { collector: 0, listener: 0 }
  #arrived = 0
  #given = 0
  #released = false

  constructor(giveBack: (bytes: number) => void) {
    this.#giveBack = giveBack
  }

  arrived(bytes: number): void {
    this.#arrived += bytes
    if (this.#released) this.#giveUpTo(this.#arrived)
  }

  /** The listener is done with that many bytes when the promise resolves. */
  offered(bytes: number, taking: Promise<void> | undefined): void {
    if (taking) void taking.finally(() => this.took('listener', bytes))
    else this.took('listener', bytes)
  }

  took(consumer: OutputConsumer, bytes: number): void {
    this.#taken[consumer] += bytes
    this.#giveUpTo(Math.min(this.#taken.collector, this.#taken.listener))
  }

  /** The command is being killed: its pipes hold little, and its end must not wait for a consumer. */
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
