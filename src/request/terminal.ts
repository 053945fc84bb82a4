import { type Fields, isBoolean, isNumber, isObject, isString, readFields, refuse } from './fields.ts'
import {
  type CompleteRequest,
  completeRequest,
  type ExecuteRequest,
  type RequestDefaults,
} from './request.ts'

/** One command in a terminal of its own. Exactly one of `command` (a shell line) and `argv` (no shell at all). */
export interface StartRequest
  extends Pick<
    ExecuteRequest,
    'command' | 'argv' | 'cwd' | 'timeoutMs' | 'env' | 'scratchpad' | 'privateTmp'
  > {
  readonly pty: true
  /** Characters in a row, 1 to 65535. Default 80. */
  readonly columns?: number | undefined
  /** 1 to 65535. Default 24. */
  readonly rows?: number | undefined
  /** The kind of terminal (TERM). Default: that of the shell's environment, `xterm-256color` where that is none or `dumb`. */
  readonly term?: string | undefined
}

/** The size of a terminal in characters. */
export interface TerminalSize {
  readonly columns: number
  readonly rows: number
}

/** A terminal that a command is to be given. */
export interface TerminalRequest extends TerminalSize {
  readonly term: string | undefined
}

const fields: Fields<StartRequest> = {
  command: { wanted: 'a string', test: isString },
  argv: { wanted: 'an array of strings', test: (value) => Array.isArray(value) && value.every(isString) },
  cwd: { wanted: 'a string', test: isString },
  timeoutMs: { wanted: 'a number of milliseconds', test: isNumber },
  env: { wanted: 'an object of variables', test: (value) => isObject(value) && !Array.isArray(value) },
  scratchpad: { wanted: 'a string', test: isString },
  privateTmp: { wanted: 'a boolean', test: isBoolean },
  pty: { wanted: 'true', test: (value) => value === true },
  columns: { wanted: 'a number of characters', test: isNumber },
  rows: { wanted: 'a number of rows', test: isNumber },
  term: { wanted: 'a string', test: isString },
}

/** Checks a request for a terminal and fills in what it leaves open. Throws INVALID_REQUEST. */
export function completeStart(given: StartRequest, defaults: RequestDefaults): CompleteRequest {
  const { pty, columns = 80, rows = 24, term, ...rest } = readFields('request', given, fields)
  if (pty !== true) refuse({ kind: 'wrong-type', field: 'pty', wanted: 'true', got: String(pty) })
  checkSize({ columns, rows })
  if (term !== undefined && !/^[\w.+-]+$/.test(term))
    refuse({
      kind: 'out-of-range',
      field: 'term',
      wanted: 'the name of a terminal',
      got: JSON.stringify(term),
    })
  return { ...completeRequest({ ...rest, merged: true }, defaults), terminal: { columns, rows, term } }
}

/** The most that a struct winsize holds (ioctl_tty(2)). */
const largest = 0xffff

/** Throws INVALID_REQUEST for a size that no terminal can have. */
export function checkSize(size: TerminalSize): void {
  for (const field of ['columns', 'rows'] as const) {
    const given = size[field]
    if (Number.isInteger(given) && given >= 1 && given <= largest) continue
    refuse({ kind: 'out-of-range', field, wanted: `a whole number from 1 to ${largest}`, got: String(given) })
  }
}

/** The kind of terminal that a command is told of. */
export function termOf({ term }: TerminalRequest, inherited: string | undefined): string {
  return term ?? (inherited && inherited !== 'dumb' ? inherited : 'xterm-256color')
}
