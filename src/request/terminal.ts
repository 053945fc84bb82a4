import { types } from 'node:util'
import * as v from 'valibot'
import type { Backend } from '../base/types.ts'
import { wanted } from '../messages/wanted.ts'
import {
  fieldOf,
  isNumber,
  isString,
  kindOf,
  readFields,
  refuseRequest,
  refuseType,
  refuseValue,
} from './fields.ts'
import {
  type CompleteRequest,
  commonFields,
  completeRequest,
  type ExecuteRequest,
  type RequestDefaults,
  requestPlaces,
  type TerminalRequest,
  type TerminalSize,
} from './request.ts'

/** One command in a terminal of its own: exactly one of `command` (a shell line) and `argv` (no shell). */
export interface StartRequest extends Omit<ExecuteRequest, 'stdin' | 'merged'> {
  readonly pty: true
  /** Characters in a row, 1 to 65535. Default 80. */
  readonly columns?: number | undefined
  /** 1 to 65535. Default 24. */
  readonly rows?: number | undefined
  /**
   * The terminal type (TERM). Default: TERM of the shell's environment, or `xterm-256color` where that is
   * absent or `dumb`.
   */
  readonly term?: string | undefined
}

/** A terminal is the input of its command, and merges its output. */
const schema = v.partial(
  v.strictObject({
    ...commonFields,
    pty: v.literal(true, wanted.trueOnly),
    columns: v.custom<number>(isNumber, wanted.columns),
    rows: v.custom<number>(isNumber, wanted.rows),
    term: fieldOf.string,
  }),
)

export interface StartDefaults extends RequestDefaults {
  readonly backend: Backend
  readonly terminals: boolean
}

export function completeStart(given: StartRequest, defaults: StartDefaults): CompleteRequest {
  const { pty, columns = 80, rows = 24, term, ...rest } = readFields('request', given, schema, requestPlaces)
  if (pty !== true) refuseType('pty', wanted.trueOnly, String(pty))
  checkSize({ columns, rows })
  if (term !== undefined && !/^[\w.+-]+$/.test(term))
    refuseValue('term', wanted.terminal, JSON.stringify(term))
  const request = completeRequest({ ...rest, merged: true }, defaults)
  const { terminals, backend } = defaults
  if (!terminals) refuseRequest({ kind: 'no-terminal', ...(backend === 'docker' && { backend }) })
  return { ...request, terminal: { columns, rows, term } }
}

/** The largest value in a struct winsize (ioctl_tty(2)). */
const largest = 0xffff

/** Throws INVALID_REQUEST for an impossible size. */
export function checkSize(size: TerminalSize): void {
  for (const field of ['columns', 'rows'] as const) {
    const given = size[field]
    if (Number.isInteger(given) && given >= 1 && given <= largest) continue
    refuseValue(field, wanted.integer(1, largest), isNumber(given) ? String(given) : kindOf(given))
  }
}

/** Throws INVALID_REQUEST for what cannot be typed. */
export function checkTyped(data: unknown): void {
  if (!isString(data) && !types.isUint8Array(data)) refuseType('data', wanted.typed, kindOf(data))
}

export function termOf({ term }: TerminalRequest, inherited: string | undefined): string {
  return term ?? (inherited && inherited !== 'dumb' ? inherited : 'xterm-256color')
}
