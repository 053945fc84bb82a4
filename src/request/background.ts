import { types } from 'node:util'
import * as v from 'valibot'
import { fieldOf, integer, isFunction, readFields } from './fields.ts'
import {
  type CompleteRequest,
  commonFields,
  completeRequest,
  type ExecuteRequest,
  type Readiness,
  type RequestDefaults,
  requestSchema,
} from './request.ts'

/** One command in the background: exactly one of `command` (a shell line) and `argv` (no shell). */
export interface BackgroundRequest extends Omit<ExecuteRequest, 'stdin' | 'timeoutMs'> {
  /**
   * Milliseconds, above 0, not limited by `max_timeout_ms`: then it gets SIGTERM, `kill_grace_ms`, SIGKILL. Default: no deadline. It ends
   * with its shell at the latest.
   */
  readonly timeoutMs?: number | undefined
  /**
   * When `background()` resolves: once its output matches, or the function, which is called with the newest 8192 characters and what
   * follows them, returns true; `listening`: once it listens at an address (`BackgroundCommand.listening`). Default: once it runs.
   */
  readonly ready?: RegExp | ((output: string) => boolean) | 'listening' | undefined
  /** Milliseconds, above 0, within which it must be ready. Default: 30000. */
  readonly readyMs?: number | undefined
}

const schema = v.strictObject({
  ...v.partial(v.strictObject(commonFields)).entries,
  merged: requestSchema.entries.merged,
  ready: v.optional(
    v.custom<NonNullable<Readiness['ready']>>(
      (value) => types.isRegExp(value) || isFunction(value) || value === 'listening',
      'a RegExp, a function, or "listening"',
    ),
  ),
  readyMs: v.optional(fieldOf.milliseconds, 30_000),
})

const position = integer(0, Number.MAX_SAFE_INTEGER)

const partSchema = v.strictObject({
  since: v.optional(position),
  mostBytes: v.optional(integer(1, 2 ** 30), 2 ** 20),
})

/** Which part of the output `read` gives. Throws INVALID_REQUEST. */
export function readPart(given: {
  readonly since: number | undefined
  readonly mostBytes: number | undefined
}) {
  return readFields('options', given, partSchema)
}

const waitSchema = v.strictObject({
  output: v.optional(v.custom<RegExp>(types.isRegExp, 'a RegExp')),
  since: v.optional(position),
  timeoutMs: v.optional(
    v.pipe(v.number('a number of milliseconds'), v.minValue(0, 'milliseconds, 0 or more')),
  ),
})

/** Throws INVALID_REQUEST. */
export function readWaitOptions(given: v.InferInput<typeof waitSchema>) {
  const { timeoutMs = Number.POSITIVE_INFINITY, ...options } = readFields('options', given, waitSchema)
  return { ...options, timeoutMs: timerMs(timeoutMs) }
}

/** Of timers, and about 24 days. */
const longestMs = 2 ** 31 - 1

/** Its input is a stream that stays open: programs that watch files end with their input. */
export function completeBackground(given: BackgroundRequest, defaults: RequestDefaults): CompleteRequest {
  const {
    ready,
    readyMs,
    timeoutMs = Number.POSITIVE_INFINITY,
    ...rest
  } = readFields('request', given, schema)
  const { PassThrough } = process.getBuiltinModule('node:stream')
  const request = completeRequest({ ...rest, stdin: new PassThrough() }, defaults)
  return { ...request, timeoutMs: timerMs(timeoutMs), background: { ready, readyMs: timerMs(readyMs) } }
}

function timerMs(ms: number): number {
  return ms === Number.POSITIVE_INFINITY ? ms : Math.min(ms, longestMs)
}
