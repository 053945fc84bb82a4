import { closeSync, createReadStream, readSync } from 'node:fs'
import type { Writable } from 'node:stream'
import type { Refusal } from '../base/refusal.ts'
import type { Denial, Limit, Listening, Stream } from '../base/types.ts'
import type { Confinement, Note } from '../sandbox/sandbox.ts'

/** Everything a launcher needs to start one process; the launcher decides nothing itself. */
export interface LaunchRequest {
  /** Absolute or relative paths to try in order, as execvp(3) walks PATH. */
  readonly candidates: readonly string[]
  readonly argv: readonly string[]
  /** Windows: argv as the single string that a process gets there. */
  readonly commandLine?: string
  readonly environment: Readonly<Record<string, string>>
  readonly cwd: string
  /** `null`: /dev/null. A number: that descriptor. `pipe`: written to through `LaunchedProcess.stdin`. */
  readonly stdin: null | number | 'pipe'
  /** Size in characters of the terminal that replaces stdin, stdout and stderr; null: pipes. */
  readonly terminal: { readonly columns: number; readonly rows: number } | null
  readonly merged: boolean
  /** Its shell leaves its state in a file that it gets as descriptor 3: `LaunchedProcess.state`. */
  readonly keepsState?: boolean | undefined
  /** Whether `started` is wanted, also without a terminal. */
  readonly tellsStart: boolean
  readonly limits: Limits | null
  /** Kept by launchers with a clock of their own, also while the event loop is blocked; else by callers. */
  readonly deadline: Deadline
  /** null: write mode. */
  readonly confinement: Confinement | null
}

/** Milliseconds, from the launch (`Infinity`: none) and from SIGTERM. */
export interface Deadline {
  readonly timeoutMs: number
  readonly graceMs: number
}

/** The limits of a command and everything it starts; 0: unlimited. */
export interface Limits {
  readonly memoryBytes: number
  readonly cpuSeconds: number
  readonly processes: number
  readonly openFiles: number
  /** In the directories granted for writing. */
  readonly privateTmpBytes: number
}

export type ProcessEnd =
  | (Ran & { readonly kind: 'exited'; readonly code: number })
  | (Ran & { readonly kind: 'signalled'; readonly signal: NodeJS.Signals })
  | { readonly kind: 'failed'; readonly step: string; readonly errno: string; readonly refusal?: Refusal }

export interface Ran {
  readonly survivors: Survivors
  /** Empty where denials are not reported. */
  readonly denials: readonly Denial[]
  /** Absent: none that the launcher knows of. */
  readonly listening?: readonly Listening[]
  /** Workspace mode: what it made that programs outside obey; `unseen`: there may be more. */
  readonly notes?: readonly Note[]
  readonly unseen?: true
  /** Not every directory was searched for files that cannot be read because of their names. */
  readonly unsearched?: true
  /** Whether it reached its deadline; undefined where the launcher leaves the deadline to its caller. */
  readonly timedOut?: boolean
  readonly limited?: Limit
  /** The container's memory in bytes, if the container ran out of it. */
  readonly containerMemory?: number
  /** Why the outcome is unknown: the engine or the container went away. */
  readonly lost?: string
}

/** Processes left when the leader had ended. `group` is the process group of those still alive. */
export interface Survivors {
  readonly killed: number
  readonly alive: number
  readonly group: number
  /** Processes that live on outside of the group; absent: none. */
  readonly left?: readonly number[]
}

/** Every `output` comes before `end`, which comes exactly once. */
export interface LaunchEvents {
  output(stream: Stream, chunk: Buffer): void
  started(): void
  /** Linux, where commands have sockets of their own: before the output that follows. */
  readonly listens?: ((at: Listening) => void) | undefined
  /** With `Changes.asks`: a call waits for the answer whether a protected path, and all beneath it, may change. */
  readonly asked?: ((path: string, answer: (yes: boolean) => void) => void) | undefined
  end(end: ProcessEnd): void
}

export interface LaunchedProcess {
  /** Only with `stdin: 'pipe'`, or for what is typed at a terminal. */
  readonly stdin: import('node:stream').Writable | null
  signal(signal: NodeJS.Signals): void
  /** SIGTERM and SIGCONT to the group: a stopped group would never handle SIGTERM. */
  terminate(atDeadline: boolean): void
  /** Sends SIGKILL to the group, then sweeps everything that the command started. */
  destroy(): void
  readonly resize?: (columns: number, rows: number) => void
  /** With `keepsState`: what the shell has left so far, at most `maxStateBytes`. Closes the file. */
  readonly state?: () => Buffer
  /** Allows that many more bytes to be read: unread output waits in the pipe, not in memory. */
  consumed(bytes: number): void
}

export type LimitHolder =
  | { readonly by: string; readonly note: string }
  | { readonly wanted: string; readonly got: string; readonly remedy: string }

export interface Launcher {
  readonly name: 'native' | 'execa' | 'docker'
  readonly terminals: boolean
  readonly limits: LimitHolder
  /** Whether it takes `keepsState`. */
  readonly sessions: boolean
  launch(request: LaunchRequest, events: LaunchEvents): LaunchedProcess
}

/** VT_STATE_BYTES of native/core.h. */
export const maxStateBytes = 512 * 1024

/** Reads without waiting, wherever the command's own descriptor of the file stands. */
export function takeState(fd: number): Buffer {
  const bytes = Buffer.alloc(maxStateBytes)
  try {
    return bytes.subarray(0, readSync(fd, bytes, 0, maxStateBytes, 0))
  } finally {
    closeSync(fd)
  }
}

export function neverStarted(end: ProcessEnd, events: LaunchEvents): LaunchedProcess {
  queueMicrotask(() => events.end(end))
  const nothing = () => {}
  return { stdin: null, signal: nothing, terminate: nothing, destroy: nothing, consumed: nothing }
}

/** Copies what a caller's descriptor yields, until `to` closes. Destroying the stream would close the descriptor. */
export function pump(fd: number, to: Writable): void {
  const from = createReadStream('', { fd, autoClose: false })
  from.once('error', () => to.end())
  from.pipe(to)
}
