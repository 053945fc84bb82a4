import { type Environment, type Mode, modes } from '../base/types.ts'

/** The shells whose state a session can keep. */
export type StatefulShell = 'dash' | 'bash'

/**
 * What carries over from one line of a session to the next. Bytes that are no UTF-8 are lone surrogates (`textOf`). Only what differs
 * from what a fresh shell has.
 */
export interface SessionState {
  /** Absolute. */
  readonly cwd: string
  /** Octal, as umask(1) prints it; null: the host's. */
  readonly umask: string | null
  /** Exported variables; null: unset, or no longer exported. */
  readonly env: Readonly<Record<string, string | null>>
  /** Variables that are not exported. */
  readonly variables: Readonly<Record<string, string>>
  /** Variables that are more than a text, by name: `declare -a x=([0]="a")`, `readonly x`. */
  readonly declarations: Readonly<Record<string, string>>
  /** `set -o nounset`, `shopt -s extglob`. */
  readonly options: readonly string[]
  /** Each whole: `f() { echo hi; }`. */
  readonly functions: Readonly<Record<string, string>>
  /** Bash: functions that are exported. */
  readonly exported: readonly string[]
  /** What each stands for. */
  readonly aliases: Readonly<Record<string, string>>
  /** The shell that has left it; null: none. */
  readonly shell: StatefulShell | null
  /** The strictest mode of the lines that have made it; null: none has. */
  readonly mode: Mode | null
}

/** One command of a session. */
export interface SessionCall {
  /** What it begins with. */
  readonly state: SessionState
  /** What its shell has left; of a command that ran twice, the second time. Notes say what does not carry over, and why. */
  left?: { readonly state: SessionState | undefined; readonly notes: readonly string[] }
}

/** A line of a session, as its shell gets it. */
export interface LineInState {
  readonly argv: readonly string[]
  /** What its shell has left, once it has ended. Held: it was let through unasked. */
  readonly taken: (bytes: Buffer, isHeld: boolean) => NonNullable<SessionCall['left']>
}

/** Whether nothing would be lost without it. */
export function isFresh({ mode: _, shell: __, cwd, ...rest }: SessionState, home: string): boolean {
  return cwd === home && Object.values(rest).every((part) => part === null || Object.keys(part).length === 0)
}

/** Whether a command in this mode is held less than those that have made the state. */
export function loosens({ mode: made }: SessionState, mode: Mode): boolean {
  return made !== null && modes.indexOf(mode) > modes.indexOf(made)
}

export function freshState(cwd: string): SessionState {
  return {
    cwd,
    umask: null,
    env: {},
    variables: {},
    declarations: {},
    options: [],
    functions: {},
    exported: [],
    aliases: {},
    shell: null,
    mode: null,
  }
}

/** The variables that a line finds, as the policy sees them: undefined is unset or a list. OLDPWD is the shell's. */
export function variablesOf({ env, variables, declarations }: SessionState): Environment {
  const lists = Object.fromEntries(Object.keys(declarations).map((name) => [name, undefined]))
  const { OLDPWD: _, ...exported } = env
  const passed = Object.entries(exported).map(([name, value]) => [name, value ?? undefined])
  return { ...lists, ...Object.fromEntries(passed), ...variables }
}

/** What goes into the environment of a command; null removes one. Bytes that are no UTF-8 cannot. */
export function environmentOf({ env, cwd }: SessionState): Environment {
  const passing = Object.entries(env).filter(([, value]) => value === null || !hasBytes(value))
  // By it a shell knows the links by which it came.
  return { PWD: cwd, ...Object.fromEntries(passing.map(([name, value]) => [name, value ?? undefined])) }
}

const NO_UTF8 = /[\udc80-\udcff]/

export function hasBytes(text: string): boolean {
  return NO_UTF8.test(text)
}

/** Bytes as text: each byte that is no UTF-8 becomes a lone surrogate, U+DC80 to U+DCFF. */
export function textOf(bytes: Buffer): string {
  const text = bytes.toString()
  if (!text.includes('\ufffd')) return text
  return bytes.toString('latin1').replace(CHARACTER, (found) => {
    const decoded = Buffer.from(found, 'latin1').toString()
    return found.length > 1 && !decoded.includes('\ufffd')
      ? decoded
      : found.replace(/[\s\S]/g, (byte) => String.fromCharCode(0xdc00 + byte.charCodeAt(0)))
  })
}

/** A lead byte with as many bytes behind it as it announces, or any other byte above ASCII: RFC 3629. */
const CHARACTER = /[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}|[\x80-\xff]/g

/** The bytes of such a text. */
export function bytesOf(text: string): Buffer {
  const parts = text.split(/([\udc80-\udcff]+)/)
  return Buffer.concat(
    parts.map((part, at) =>
      at % 2 === 0 ? Buffer.from(part) : Buffer.from([...part].map((unit) => unit.charCodeAt(0) - 0xdc00)),
    ),
  )
}
