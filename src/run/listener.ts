import type { AnyResult, Stream } from '../base/types.ts'
import { ListenerError } from '../messages/error.ts'
import type { OnOutput } from '../request/execute-options.ts'
import { hasMethods } from '../request/fields.ts'

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
