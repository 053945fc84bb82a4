import type { Denial, Limit, Stream } from '../base/types.ts'
import type { Refusal } from '../messages/error.ts'
import type { Confinement } from '../sandbox/sandbox.ts'

/** Everything a launcher needs to start one process; nothing in it is decided later. */
export interface LaunchRequest {
  /** Absolute or relative paths to try in order, as execvp(3) walks PATH. */
  readonly candidates: readonly string[]
  readonly argv: readonly string[]
  /** Windows: argv as the one string that a process is given there. */
  readonly commandLine?: string
  readonly environment: Readonly<Record<string, string>>
  readonly cwd: string
  /** `null`: /dev/null. A number: that descriptor. `pipe`: the caller writes to `LaunchedProcess.stdin`. */
  readonly stdin: null | number | 'pipe'
  /** The size in characters of the terminal that takes the place of input and both streams; null: pipes. */
  readonly terminal: { readonly columns: number; readonly rows: number } | null
  /** One pipe for both streams: their order is exact. */
  readonly merged: boolean
  /** Its descriptor 3 is a pipe, read as `LaunchEvents.state`. Only where `Launcher.states`. */
  readonly state?: boolean
  /** null: none. */
  readonly limits: Limits | null
  /** What a launcher that has a clock of its own holds whatever its owner does; the others leave it to him. */
  readonly deadline: Deadline
  /** null: unsandboxed (write mode). */
  readonly confinement: Confinement | null
}

/** In milliseconds from the launch, and from asking to killing. */
export interface Deadline {
  readonly timeoutMs: number
  readonly graceMs: number
}

/** What a command and everything it starts may use; 0: as much as there is. */
export interface Limits {
  readonly memoryBytes: number
  readonly cpuSeconds: number
  readonly processes: number
  /** Of each process. */
  readonly openFiles: number
  /** In the directories granted for writing. */
  readonly privateTmpBytes: number
}

/** How a process ended, or why there never was one. */
export type ProcessEnd =
  | (Ran & { readonly kind: 'exited'; readonly code: number })
  | (Ran & { readonly kind: 'signalled'; readonly signal: NodeJS.Signals })
  | { readonly kind: 'failed'; readonly step: string; readonly errno: string; readonly refusal?: Refusal }

interface Ran {
  readonly survivors: Survivors
  /** What was refused; empty where nothing is reported. */
  readonly denials: readonly Denial[]
  /** Not every directory was searched for files that cannot be read because of their name. */
  readonly unsearched?: true
  /** Whether it was still there at its deadline; undefined where the launcher leaves that to its owner. */
  readonly timedOut?: boolean
  /** The limit that ended it. */
  readonly limited?: Limit
  /** The container's memory in bytes, where it is that which was used up. */
  readonly containerMemory?: number
  /** Why nobody knows how it ended: what ran it went away. */
  readonly lost?: string
}

/** Who was left when the leader had ended. `group` is the process group of those that live on. */
export interface Survivors {
  readonly killed: number
  readonly alive: number
  readonly group: number
}

/** Called by the launcher. Every `output` of a command comes before its `end`, which comes exactly once. */
export interface LaunchEvents {
  output(stream: Stream, chunk: Buffer): void
  /** What it writes to descriptor 3, with `LaunchRequest.state`; all of it comes before its `end`. */
  state?(chunk: Buffer): void
  /** A command with a terminal runs. */
  started(): void
  end(end: ProcessEnd): void
}

export interface LaunchedProcess {
  /** Only with `stdin: 'pipe'`, or a terminal: what is typed. */
  readonly stdin: import('node:stream').Writable | null
  /** Sends a signal to the process group. */
  signal(signal: NodeJS.Signals): void
  /**
   * SIGTERM and SIGCONT to the group: a stopped group never sees TERM.
   * @param atDeadline its time is over
   */
  terminate(atDeadline: boolean): void
  /** SIGKILL to the group, then the sweep of everything that the command started. */
  destroy(): void
  /** Only with a terminal. */
  readonly resize?: (columns: number, rows: number) => void
  /** Lets that many more bytes be read: output waits in the pipe, not in memory. */
  consumed(bytes: number): void
}

/** What holds limits on this host, or why nothing does. */
export type LimitHolder =
  | { readonly by: string; readonly note: string }
  | { readonly wanted: string; readonly got: string; readonly remedy: string }

export interface Launcher {
  readonly name: 'native' | 'execa' | 'docker'
  /** It can give a command a terminal. */
  readonly terminals: boolean
  /** It can give a command a descriptor 3. */
  readonly states?: true
  readonly limits: LimitHolder
  launch(request: LaunchRequest, events: LaunchEvents): LaunchedProcess
}
