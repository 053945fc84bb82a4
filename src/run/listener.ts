import type { AnyResult, Stream } from '../base/types.ts'
import { ListenerError } from '../messages/error.ts'
import { hasMethods } from '../request/fields.ts'
import type { OnOutput } from '../request/request.ts'

/** Longer output is passed on as it comes: its line does not run again. */
const maxWithheld = 1024 * 1024

export interface ListenerOptions {
  /** Called once, at the first failure. */
  readonly onFailure: () => void
  /** The command may run a second time: what the first one says is passed on when it is known that it does not. */
  readonly withholds: boolean
}

/** Calls the `onOutput` callback until it throws or its promise rejects. */
export class Listener {
  readonly #onOutput: OnOutput | undefined
  readonly #onFailure: () => void
  #withheld: (readonly [Stream, Buffer])[] | undefined
  #bytes = 0
  #failed: { readonly error: unknown } | undefined
  #over = false

  constructor(onOutput: OnOutput | undefined, { onFailure, withholds }: ListenerOptions) {
    this.#onOutput = onOutput
    this.#onFailure = onFailure
    this.#withheld = withholds ? [] : undefined
  }

  /** Nothing has been passed on, so that the command can run again without saying anything twice. */
  get withholds(): boolean {
    return this.#withheld !== undefined
  }

  /** Passes on a chunk. The promise settles when the function's own does. */
  tell(stream: Stream, chunk: Buffer): Promise<void> | undefined {
    if (!this.#onOutput) return undefined
    if (!this.#withheld) return this.#pass(stream, chunk)
    this.#withheld.push([stream, chunk])
    this.#bytes += chunk.length
    return this.#bytes > maxWithheld ? this.#release() : undefined
  }

  async #release(): Promise<void> {
    const withheld = this.#withheld ?? []
    this.#withheld = undefined
    await Promise.all(withheld.map(([stream, chunk]) => this.#pass(stream, chunk)))
  }

  #pass(stream: Stream, chunk: Buffer): Promise<void> | undefined {
    if (!this.#onOutput || this.#failed) return undefined
    try {
      const taking = this.#onOutput(stream, chunk)
      // zone.js and other libraries have promises of their own.
      if (!hasMethods(taking, 'then')) return undefined
      return Promise.resolve(taking).catch((error) => this.#fail(error))
    } catch (error) {
      this.#fail(error)
      return undefined
    }
  }

  /** The result stands. Throws a `ListenerError` with it if the callback has failed; later rejections stay unhandled. */
  async end(result: AnyResult): Promise<void> {
    if (this.#withheld) await this.#release()
    this.#over = true
    if (this.#failed) throw new ListenerError(this.#failed.error, result)
  }

  #fail(error: unknown): void {
    if (this.#over) throw error
    if (this.#failed) return
    this.#failed = { error }
    this.#onFailure()
  }
}

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
