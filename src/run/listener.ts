import { types } from 'node:util'
import type { Stream } from '../base/types.ts'
import type { OnOutput } from '../request/execute-options.ts'

/** Calls the `onOutput` callback until it throws or its promise rejects. */
export class Listener {
  readonly #onOutput: OnOutput | undefined
  #failed: { readonly error: unknown } | undefined
  #over = false
  /** Called once, at the first failure. */
  onFailure: () => void = () => {}

  constructor(onOutput: OnOutput | undefined) {
    this.#onOutput = onOutput
  }

  /** Passes on a chunk. The promise settles when the function's own does. */
  tell(stream: Stream, chunk: Buffer): Promise<void> | undefined {
    if (!this.#onOutput || this.#failed) return undefined
    try {
      const taking = this.#onOutput(stream, chunk)
      return types.isPromise(taking) ? taking.catch((error) => this.#fail(error)) : undefined
    } catch (error) {
      this.#fail(error)
      return undefined
    }
  }

  /** Ends listening and returns the failure. Later rejections stay unhandled in the user's process. */
  end(): { readonly error: unknown } | undefined {
    this.#over = true
    return this.#failed
  }

  #fail(error: unknown): void {
    if (this.#over) throw error
    if (this.#failed) return
    this.#failed = { error }
    this.onFailure()
  }
}
