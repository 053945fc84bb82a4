import { errorText } from '../base/errno.ts'
import type { AuditFault, Refusal, RefusalCode, Unavailable } from '../base/refusal.ts'
import type { AnyResult } from '../base/types.ts'
import { describeListenerFailure, describeRefusal, describeUnready } from './refusal.ts'

/** Thrown when a command never ran. `refusal` holds the facts, `code` their kind. Of a list, only the commands in `results` ran. */
export class VitrineError extends Error {
  /** The same in every realm, where `instanceof` is not. */
  override readonly name = 'VitrineError'
  /** The kind of the refusal. */
  readonly code: RefusalCode
  /** Its facts. */
  readonly refusal: Refusal
  /** Why the audit log misses this refusal; `message` says so, too. Absent: it has a line, or there is no log. */
  declare auditFault?: AuditFault
  /** `executeAll`: the results of the commands that ran before the one that could not be started; empty where none did. Else absent. */
  declare results?: readonly AnyResult[]

  constructor(refusal: Refusal) {
    super(describeRefusal(refusal))
    this.code = refusal.code
    this.refusal = refusal
  }
}

/** Adds the results of a list so far to the error that ends it: none where nothing ran. */
export function withResults(error: unknown, results: readonly AnyResult[]): unknown {
  if (isVitrineError(error)) error.results ??= results
  return error
}

/** `onOutput` failed, so the command was ended. `cause` is the thrown value. */
export class ListenerError extends Error {
  /** The same in every realm. */
  override readonly name = 'ListenerError'
  /** Of the one kind that there is. */
  readonly code = 'LISTENER_FAILED'
  /** The result of the command, with its output so far. */
  readonly result: AnyResult

  constructor(cause: unknown, result: AnyResult) {
    super(describeListenerFailure(errorText(cause)), { cause })
    this.result = result
  }
}

/** A background command has ended before it was `ready`, or was stopped because it was not within `readyMs`. */
export class NotReadyError extends Error {
  /** The same in every realm. */
  override readonly name = 'NotReadyError'
  /** Of the one kind that there is. */
  readonly code = 'NOT_READY'
  /** With all of its output. */
  readonly result: AnyResult

  constructor(result: AnyResult, lateMs?: number) {
    super(describeUnready(result, lateMs))
    this.result = result
  }
}

export function unavailable(unmet: Omit<Unavailable, 'code'>): VitrineError {
  return new VitrineError({ code: 'SANDBOX_UNAVAILABLE', ...unmet })
}

/** Compares names, because Jest gives each test file its own copy of this module. */
export function isVitrineError(error: unknown): error is VitrineError {
  return Object(error).name === 'VitrineError'
}

export function isShellClosed(error: unknown): boolean {
  if (!isVitrineError(error) || error.refusal.code !== 'INVALID_REQUEST') return false
  return error.refusal.problem.kind === 'shell-closed'
}
