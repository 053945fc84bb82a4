import { resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { types } from 'node:util'
import * as v from 'valibot'
import { tried } from '../base/errno.ts'
import type { HintReader } from '../base/hint.ts'
import { type Encoding, type Environment, type Mode, modes, type Stream } from '../base/types.ts'
import { isHostPattern, type NetworkSetting } from '../network/access.ts'
import {
  fieldOf,
  hasMethods,
  isObject,
  isString,
  kindOf,
  oneOf,
  readFields,
  refuseRequest,
  refuseType,
} from './fields.ts'
import { isShellProgram, shellProgramWanted } from './interpreter.ts'
import type { SessionCall } from './state.ts'

/** A chunk of output as it arrives, with its stream. */
export type OnOutput = (stream: Stream, chunk: Buffer) => Promise<void> | void
/** How a call runs its command, and what its result shows. */
export interface ExecuteOptions<E extends Encoding = 'utf8'> {
  /** Ends the command; the result says `cancelled`. If already aborted, the call throws its reason and nothing runs. Default: none. */
  readonly signal?: AbortSignal | undefined
  /**
   * Called with every chunk of output as it arrives. Once 1 MiB of output waits for returned promises, the
   * command is held back until they resolve; `execute` does not wait for the last of them. If it throws, or a
   * promise rejects while the command runs, the command is ended and `execute` rejects with a
   * `ListenerError`, which has the result. Default: none.
   */
  readonly onOutput?: OnOutput | undefined
  /**
   * Save output that is too long for the result. `false`, where it has been streamed: the result shows head and tail, and has no
   * scratchpad. Default: true.
   */
  readonly save?: boolean | undefined
  /**
   * The most characters of a stream that the result shows, 0 to 67108864; longer output is cut and saved.
   * With `encoding: 'buffer'` it counts bytes. Default: `[output] inline_max_chars`.
   */
  readonly inlineMaxChars?: number | undefined
  /** `buffer`: `output`, `stdout` and `stderr` are the bytes as they arrived. Default: `utf8`, text. */
  readonly encoding?: E | undefined
  /** Who reads `hint`. Default: `user`. */
  readonly hintFor?: HintReader | undefined
}

/** One command: exactly one of `command` (a shell line) and `argv` (no shell). */
export interface ExecuteRequest {
  /** A shell line. Absent: `argv` is given. */
  readonly command?: string | undefined
  /** A program and its arguments, run without a shell. Absent: `command` is given. */
  readonly argv?: readonly string[] | undefined
  /** The shell that reads `command`: `sh`, `bash`, or the path of one. Default: the shell's `program`. Not on Windows. */
  readonly program?: string | undefined
  /** Relative to the shell's directory. Default: the shell's directory. */
  readonly cwd?: string | undefined
  /**
   * The deadline in milliseconds, above 0. Default: `[shell] timeout_ms`. More than `max_timeout_ms` is lowered to that: `Result.timeoutMs` is the
   * value in force; if the command reaches it, `hint` says that it was lowered.
   */
  readonly timeoutMs?: number | undefined
  /**
   * Text or bytes, a stream of Node or of the web, anything that iterates over text and bytes, or an open descriptor, which must stay
   * open until the result. A stream that fails, or brings anything but text and bytes, ends the input. Default: no input.
   */
  readonly stdin?: string | Uint8Array | Readable | number | AsyncIterable<string | Uint8Array> | undefined
  /**
   * Variables for this command only, over inherited and configured ones; undefined removes one. The policy sees them as assignments before
   * the command. Default: none.
   */
  readonly env?: Environment | undefined
  /** One pipe for both streams: `stdout` has both, in the order written. Default: false. */
  readonly merged?: boolean | undefined
  /** Saves the complete output under this name. Default: only output that is too long is saved, under a name of its own. */
  readonly scratchpad?: string | undefined
  /**
   * Gives the command a writable TMPDIR, removed after it. Default: in read mode the shell's `privateTmp`, in workspace mode true.
   * No effect in write mode.
   */
  readonly privateTmp?: boolean | undefined
  /** Narrows the shell's network for this command: `false`, or hosts that the shell allows too. Default: the shell's. No effect in write mode. */
  readonly network?: NetworkSetting | undefined
  /** For this command only: a mode as strict as the shell's, or stricter. Default: the shell's. */
  readonly mode?: Mode | undefined
}

export type Input = string | Uint8Array | Readable | number

export interface RequestDefaults {
  readonly cwd: string
  readonly timeoutMs: number
  readonly maxTimeoutMs: number
}

export type Invocation =
  /** `program`: what reads the line in place of the shell's program. */
  | { readonly kind: 'line'; readonly line: string; readonly program?: string | undefined }
  | { readonly kind: 'argv'; readonly argv: Argv; readonly own?: OwnProgram | undefined }

type Argv = readonly [string, ...string[]]

/** A program of vitrine's own, for which the words of `argv` stand: to the policy, in questions and in the audit log. */
interface OwnProgram {
  readonly argv: Argv
  /** All that a question shows of it, and a yes allows. */
  readonly shown: string
}

export interface TerminalSize {
  readonly columns: number
  readonly rows: number
}

export interface TerminalRequest extends TerminalSize {
  readonly term: string | undefined
}

/** What tells that a command in the background is ready; undefined: its start. */
export interface Readiness {
  readonly ready: RegExp | ((output: string) => boolean) | 'listening' | undefined
  readonly readyMs: number
}

export interface CompleteRequest {
  readonly work: Invocation
  /** Absolute. It may not exist. */
  readonly cwd: string
  /** `Infinity`: none. */
  readonly timeoutMs: number
  /** The timeout that was asked for, where it is over the maximum. */
  readonly loweredFromMs: number | undefined
  /** Undefined removes one. */
  readonly env: Environment
  readonly stdin: Input | null
  readonly merged: boolean
  readonly scratchpad: string | undefined
  readonly privateTmp: boolean | undefined
  readonly network: NetworkSetting | undefined
  readonly mode: Mode | undefined
  readonly terminal: TerminalRequest | null
  /** The call of a session. */
  readonly session?: SessionCall | undefined
  readonly background: Readiness | undefined
}

export const networkField = v.custom<NetworkSetting>(
  (value) => typeof value === 'boolean' || (Array.isArray(value) && value.every(isHost)),
  'a boolean, or an array of hosts: HOST, *.HOST or an address, with or without :PORT',
)

const isHost = (value: unknown) => isString(value) && isHostPattern(value)

export const programField = v.custom<string>(
  (value) => isString(value) && isShellProgram(value) && !value.includes('\0'),
  shellProgramWanted,
)

/** Of every command, whether in a terminal or not. */
export const commonFields = {
  command: fieldOf.argument,
  argv: fieldOf.arguments,
  program: programField,
  cwd: fieldOf.string,
  timeoutMs: fieldOf.milliseconds,
  env: fieldOf.newVariables,
  scratchpad: fieldOf.string,
  privateTmp: fieldOf.boolean,
  network: networkField,
  mode: oneOf(...modes),
}

export const requestSchema = v.partial(
  v.strictObject({
    ...commonFields,
    stdin: v.custom<NonNullable<ExecuteRequest['stdin']>>(
      isStdin,
      'a string, a Uint8Array, a stream, an async iterable or an open descriptor',
    ),
    merged: fieldOf.boolean,
  }),
)

/** Does no lookups. Throws INVALID_REQUEST. */
export function completeRequest(given: ExecuteRequest, defaults: RequestDefaults): CompleteRequest {
  const request = readFields('request', given, requestSchema)
  const { timeoutMs = defaults.timeoutMs, stdin = null, env = {}, merged = false } = request
  const most = defaults.maxTimeoutMs
  const cwd = request.cwd === undefined ? defaults.cwd : resolve(defaults.cwd, request.cwd)
  return {
    work: workOf(request, cwd),
    cwd,
    timeoutMs: Math.min(timeoutMs, most),
    loweredFromMs: timeoutMs > most && request.timeoutMs !== undefined ? timeoutMs : undefined,
    env,
    stdin: stdin === null ? null : inputOf(stdin),
    merged,
    scratchpad: request.scratchpad,
    privateTmp: request.privateTmp,
    network: request.network,
    mode: request.mode,
    terminal: null,
    background: undefined,
  }
}

/** Not yet checked. Throws INVALID_REQUEST. */
export function readList(requests: readonly (string | ExecuteRequest)[]): readonly ExecuteRequest[] {
  if (!Array.isArray(requests))
    refuseType('requests', 'an array of shell lines and requests', kindOf(requests))
  return Array.from(requests, (request, index) => {
    const field = `requests[${index}]`
    if (isString(request)) return { command: request }
    if (!isObject(request) || Array.isArray(request))
      refuseType(field, 'a shell line or a request', kindOf(request))
    return { ...request }
  })
}

function workOf({ command, argv, program }: ExecuteRequest, cwd: string): Invocation {
  if (command !== undefined && argv !== undefined) refuseRequest({ kind: 'command-and-argv' })
  if (argv !== undefined) {
    const [name, ...rest] = argv
    return name ? { kind: 'argv', argv: [name, ...rest] } : refuseRequest({ kind: 'blank-command' })
  }
  if (command === undefined || command.trim() === '') refuseRequest({ kind: 'blank-command' })
  if (program === undefined) return { kind: 'line', line: command }
  return { kind: 'line', line: command, program: shellPath(program, cwd) }
}

/** A word stays a word. */
export function shellPath(program: string, cwd: string): string {
  return program.includes('/') ? resolve(cwd, program) : program
}

/** The largest int, which descriptors are. */
const maxDescriptor = 0x7fff_ffff
/** What is used of a Readable, and `read`, which a Writable has not. */
const readableMethods = ['read', 'on', 'once', 'off', 'pause', 'resume', 'listenerCount'] as const

function isStdin(value: unknown): boolean {
  if (typeof value === 'number') return Number.isInteger(value) && value >= 0 && value <= maxDescriptor
  return isString(value) || types.isUint8Array(value) || isReadable(value) || isIterable(value)
}

function isReadable(value: unknown): value is Readable {
  return hasMethods(value, ...readableMethods)
}

/** A stream of the web is one. */
function isIterable(value: unknown): value is AsyncIterable<unknown> {
  return isObject(value) && typeof Reflect.get(value, Symbol.asyncIterator) === 'function'
}

function inputOf(given: NonNullable<ExecuteRequest['stdin']>): Input {
  if (types.isUint8Array(given)) return Buffer.from(given)
  if (isReadable(given) || !isIterable(given)) return given
  const { Readable } = process.getBuiltinModule('node:stream')
  // Another reader has it.
  return (
    tried(() => Readable.from(given)) ?? refuseType('stdin', 'a stream that is not locked', 'a locked one')
  )
}
