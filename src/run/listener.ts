import type { AnyResult, Stream } from '../base/types.ts'
import { ListenerError } from '../messages/error.ts'
import type { OnOutput } from '../request/execute-options.ts'
import { hasMethods } from '../request/fields.ts'

/** Calls the `onOutput` callback until it throws or its promise rejects. */
export class Listener {
  readonly #onOutput: OnOutput | undefined
  readonly #onFailure: () => void
  #failed: { readonly error: unknown } | undefined
  #over = false

  /** @param onFailure called once, at the first failure */
  constructor(onOutput: OnOutput | undefined, onFailure: () => void) {
    this.#onOutput = onOutput
    this.#onFailure = onFailure
  }

  /** Passes on a chunk. The promise settles when the function's own does. */
  tell(stream: Stream, chunk: Buffer): Promise<void> | undefined {
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

  /** Throws a `ListenerError` with the result if the callback has failed; later rejections stay unhandled. */
  end(result: AnyResult): void {
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
