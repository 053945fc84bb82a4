/** `read`: the operating system makes the command read-only. `write`: it runs unsandboxed. */
export type Mode = 'read' | 'write'
export type Backend = 'local' | 'docker'

/** How a command ended. The first cause wins: a command killed at its deadline is `timed-out`, whatever its exit code. */
export type Outcome =
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'signalled'; readonly signal: NodeJS.Signals }
  | { readonly kind: 'timed-out'; readonly afterMs: number }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'output-limit'; readonly limit: number }
  /** `value`: what the configuration says, in bytes, seconds or processes. `container`: it is `[docker] memory`, and not one of `[limits]`. */
  | { readonly kind: 'limited'; readonly limit: Limit; readonly value: number; readonly container?: true }

/** A limit of `[limits]` that ends a command: Result.limited names it. Open files are refused to the program itself (EMFILE): `hint` names that limit where a command that fails says so. */
export type Limit = 'memory' | 'cpu' | 'processes' | 'private_tmp' | 'epoll_watches'

/** What a refused call would have done. `other`: the row for refusals past the 64 that stand in rows of their own. */
export type Operation =
  | 'write'
  | 'create'
  | 'delete'
  | 'rename'
  | 'link'
  | 'truncate'
  | 'metadata'
  | 'device'
  | 'lock'
  | 'connect'
  | 'socket'
  | 'listen'
  | 'ipc'
  | 'key'
  | 'signal'
  | 'process'
  | 'namespace'
  | 'mount'
  | 'system'
  | 'other'

/** One refused attempt of a command, counted over its repetitions. */
export interface Denial {
  readonly operation: Operation
  /** Absolute, symbolic links resolved as the call would have; what a rename would have moved, what a link would have made. Absent where the process cannot be read. */
  readonly path?: string
  /** `127.0.0.1:80`, `[::1]:80`, `/run/x.sock` or `@name` of a connection; the family of a socket, with its kind where no setting opens that (`inet raw`); `pid 1` or `group 1` of a signal. */
  readonly address?: string
  /** As in syscalls(2); on macOS the operation, as sandbox profiles name it. */
  readonly syscall: string
  /** The first process that tried. */
  readonly pid: number
  /** Its name (proc_pid_comm(5), at most 15 bytes); empty when it could not be read. */
  readonly program: string
  readonly count: number
}

/** Tells an agent whether another try makes sense. */
export interface Failure {
  readonly kind: 'timeout' | 'permission-denied' | 'not-found' | 'signal' | 'non-zero' | 'limit'
  readonly retryable: boolean
  readonly advice: string
}

/** Whether one right of the host is out of the command's reach, and what keeps it so. */
export interface RightEnforcement {
  readonly enforced: boolean
  /** The mechanism, for example `landlock`, `seccomp`, `landlock+seccomp`, `session sweep`; `none` when not enforced. */
  readonly by: string
  /** What differs, when something does. */
  readonly note?: string
}

/** Per right of the host (files, metadata, sockets, ...): enforced or not. In write mode nothing is, but limits where they are set. */
export type Enforcement = Readonly<Record<string, RightEnforcement>>

/** What one rule makes of one simple command, or of the line as a whole. */
export interface PolicyMatch {
  /** As written. */
  readonly command: string
  /** What matched: the first words of a rule, or the name of a check, for example `redirect`. */
  readonly rule: string
  /** Who says so: a built-in list, a preset, or a config file and its line. */
  readonly source: string
  readonly verdict: Decision['verdict']
  readonly why: string
}

/** What the policy says about a command. The strictest match wins, and its `why` is the reason. */
export interface Decision {
  readonly verdict: 'allow' | 'ask' | 'deny'
  readonly reason: string
  readonly matches: readonly PolicyMatch[]
}

/** What became of a command that the policy asks about. */
export interface ApprovalRecord {
  /** Who was to answer: `terminal`, `mcp-client`, `mcp-elicitation`, `approver` (a function of the caller's), `unattended` (the configuration). */
  readonly by: string
  /** Whether anybody was asked about this command. */
  readonly asked: boolean
  /** `none`: nobody answered in time, or the approver failed. `all` and `same` are yes, and stand for later commands. */
  readonly answer: 'yes' | 'no' | 'all' | 'same' | 'none'
  /** The kind of the earlier answer that covered it. */
  readonly standing: 'all' | 'same' | null
}

/** How output is given: as text, or as the bytes that came. */
export type Encoding = 'utf8' | 'buffer'

/** What `output`, `stdout` and `stderr` are in an encoding. */
export type OutputIn<E extends Encoding> = E extends 'buffer' ? Buffer : string

/** In either encoding. */
export type AnyResult = Result<string | Buffer>

/** What a command did. A non-zero exit is a result, never an exception. */
export interface Result<Output extends string | Buffer = string> {
  /**
   * Both streams in the order they arrived; exactly as written with `merged: true`. Over `inlineMaxChars` (default
   * `[output] inline_max_chars`, 30000) it is NOT whole: head and tail, with a line between that says what is left out.
   */
  readonly output: Output
  /** Bytes of `output` that are left out between head and tail; 0 when it is whole. */
  readonly omittedBytes: number
  /** Some of `output`, `stdout` or `stderr` is left out. All of it stands in `scratchpad`, unless `hint` says why not. */
  readonly truncated: boolean
  /** Cut like `output` when it is longer than `inlineMaxChars`: check `truncated` before you parse it. */
  readonly stdout: Output
  /** Cut like `stdout`. */
  readonly stderr: Output
  /** The command's own exit code; null when a signal ended it. */
  readonly exitCode: number | null
  readonly signal: NodeJS.Signals | null
  readonly timedOut: boolean
  readonly cancelled: boolean
  readonly outputLimited: boolean
  readonly durationMs: number
  /** Bytes that the command wrote to both streams. */
  readonly bytes: number
  /** A NUL byte stands in the first 8 KiB. */
  readonly binary: boolean
  /** The deadline that was in force, after the cap. */
  readonly timeoutMs: number
  /** Processes that were still there at the end and were killed. */
  readonly survivorsKilled: number
  /** Write mode: processes that live on in the command's process group. Who left it (`setsid`, job control) lives on, too, and is not counted. */
  readonly background?: { readonly count: number; readonly group: number }
  /** The limit of `[limits]` that ended the command; `memory` also where the kernel killed a process because the container's was used up. `epoll_watches` is the kernel's own limit (epoll(7)). */
  readonly limited?: Limit
  readonly denials: readonly Denial[]
  readonly hint?: string
  /** Where the whole output stands, byte for byte, when it is not inline or was asked for by name. */
  readonly scratchpad?: { readonly name: string; readonly path: string; readonly bytes: number }
  readonly failure?: Failure
  readonly mode: Mode
  readonly backend: Backend
  readonly enforcement: Enforcement
  readonly decision: Decision
  readonly outcome: Outcome
}
export type Stream = 'stdout' | 'stderr'
