import { errorText } from '../base/errno.ts'
import type { Refusal, RefusalCode } from '../base/refusal.ts'
import type { AnyResult } from '../base/types.ts'
import { describeListenerFailure, describeRefusal } from './refusal.ts'

/** Thrown means: the command never ran, nor any of a list unless `results` has them. The facts of the refusal stand on `refusal`, its code on `code`. */
export class VitrineError extends Error {
  override readonly name = 'VitrineError'
  readonly code: RefusalCode
  readonly refusal: Refusal
  /** Of `executeAll`, where a later command could not be started: the results of those that ran before it. */
  declare results?: readonly AnyResult[]

  constructor(refusal: Refusal) {
    super(describeRefusal(refusal))
    this.code = refusal.code
    this.refusal = refusal
  }
}

/** Puts what has run of a list on the error that ends it. */
export function withResults(results: readonly AnyResult[]): (error: unknown) => never {
  return (error) => {
    if (isVitrineError(error) && results.length > 0) error.results = results
    throw error
  }
}

/** `onOutput` failed, and the command was ended for it. `cause` is what was thrown. */
export class ListenerError extends Error {
  override readonly name = 'ListenerError'
  readonly code = 'LISTENER_FAILED'
  /** How the command ended, with its output until then. */
  readonly result: AnyResult

  constructor(cause: unknown, result: AnyResult) {
    super(describeListenerFailure(errorText(cause)), { cause })
    this.result = result
  }
}

/** `instanceof` is false for an error of another copy of this module: Jest gives each test file one. */
export function isVitrineError(error: unknown): error is VitrineError {
  return Object(error).name === 'VitrineError'
}
