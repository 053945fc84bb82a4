import { types } from 'node:util'
import * as v from 'valibot'
import type { Backend } from '../base/types.ts'
import { fieldOf, integer, isString, kindOf, readFields, refuseRequest, refuseType } from './fields.ts'
import {
  type CompleteRequest,
  commonFields,
  completeRequest,
  type ExecuteRequest,
  type RequestDefaults,
  type TerminalRequest,
  type TerminalSize,
} from './request.ts'

/** One command in a terminal of its own: exactly one of `command` (a shell line) and `argv` (no shell). */
export interface StartRequest extends Omit<ExecuteRequest, 'stdin' | 'merged'> {
  /** A terminal is what `start` is for. */
  readonly pty: true
  /** Characters in a row, 1 to 65535. Default: 80. */
  readonly columns?: number | undefined
  /** Rows, 1 to 65535. Default: 24. */
  readonly rows?: number | undefined
  /**
   * The terminal type (TERM). Default: TERM of the shell's environment, or `xterm-256color` where that is
   * absent or `dumb`.
   */
  readonly term?: string | undefined
}

/** The largest value in a struct winsize (ioctl_tty(2)). */
const size = integer(1, 0xffff)
const sizeSchema = v.strictObject({ columns: size, rows: size })

/** A terminal is the input of its command, and merges its output. */
const schema = v.strictObject({
  ...v.partial(v.strictObject(commonFields)).entries,
  pty: v.literal(true, 'true'),
  columns: v.optional(size, 80),
  rows: v.optional(size, 24),
  term: v.optional(v.pipe(fieldOf.string, v.regex(/^[\w.+-]+$/, 'the name of a terminal'))),
})

export interface StartDefaults extends RequestDefaults {
  readonly backend: Backend
  readonly terminals: boolean
}

export function completeStart(given: StartRequest, defaults: StartDefaults): CompleteRequest {
  const { pty: _, columns, rows, term, ...rest } = readFields('request', given, schema)
  const request = completeRequest({ ...rest, merged: true }, defaults)
  const { terminals, backend } = defaults
  if (!terminals) refuseRequest({ kind: 'no-terminal', ...(backend === 'docker' && { backend }) })
  return { ...request, terminal: { columns, rows, term } }
}

/** Throws INVALID_REQUEST for an impossible size. */
export function checkSize(given: TerminalSize): void {
  readFields('size', given, sizeSchema)
}

/** Throws INVALID_REQUEST for what cannot be typed. */
export function checkTyped(data: unknown): void {
  if (!isString(data) && !types.isUint8Array(data))
    refuseType('data', 'a string or a Uint8Array', kindOf(data))
}

export function termOf({ term }: TerminalRequest, inherited: string | undefined): string {
  return term ?? (inherited && inherited !== 'dumb' ? inherited : 'xterm-256color')
}
