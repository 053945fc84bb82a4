import { types } from 'node:util'
import type { Stream } from '../base/types.ts'
import type { OnOutput } from '../request/execute-options.ts'

/** Calls a caller's function until it fails: it throws, or its promise rejects. */
export class Listener {
  readonly #onOutput: OnOutput | undefined
  #failed: { readonly error: unknown } | undefined
  #over = false
  /** Called once, at the first failure. */
  onFailure: () => void = () => {}

  constructor(onOutput: OnOutput | undefined) {
    this.#onOutput = onOutput
  }

  /** Passes a chunk on. The promise lasts as long as the function's own. */
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

  /** The command is over; returns the failure. A promise that rejects from now on is an unhandled rejection of the caller's. */
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
