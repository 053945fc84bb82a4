/**
 * `read`: the operating system makes the command read-only. `workspace`: it holds the command's changes inside the
 * workspace. `write`: the command runs unsandboxed.
 */
export type Mode = (typeof modes)[number]

/** From the strictest on. */
export const modes = ['read', 'workspace', 'write'] as const
export type Backend = 'local' | 'docker'

export type Environment = Readonly<Record<string, string | undefined>>

/** The first cause wins: a command killed at its deadline is `timed-out`, whatever its exit code. */
export type Outcome =
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'signalled'; readonly signal: NodeJS.Signals }
  | { readonly kind: 'timed-out'; readonly afterMs: number }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'output-limit'; readonly limit: number }
  /** `value`: bytes, seconds or processes. `container`: it is `[docker] memory`, not one of `[limits]`. */
  | { readonly kind: 'limited'; readonly limit: Limit; readonly value: number; readonly container?: true }

/** A limit that ends a command. That on open files ends none: the program gets EMFILE, and `hint` names it. */
export type Limit = 'memory' | 'cpu' | 'processes' | 'private_tmp' | 'epoll_watches'

/** What a refused call would have done. `other`: the row that sums up refusals beyond the first 64 rows. */
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

export interface Background {
  readonly count: number
  readonly group: number
  readonly left?: readonly { readonly pid: number; readonly program: string }[]
}

/** One refused attempt of a command, with the number of its repetitions. */
export interface Denial {
  readonly operation: Operation
  /** Absolute; links are resolved. For a rename the source, or the new name if only that is protected; for a link the new name. */
  readonly path?: string
  /** `127.0.0.1:80`, `[::1]:80`, `/run/x.sock`, `@name`; of a socket its family (`inet raw`); of a signal `pid 1` or `group 1`. */
  readonly address?: string
  /** Workspace mode: the path is protected, leads to something protected, or is another name of it. */
  readonly protected?: true
  /** Linux: it would have been allowed, had the program no sandbox of its own. */
  readonly ownSandbox?: true
  /** The proxy refused it: `address` is the host that was asked for, with its port. */
  readonly host?: true
  /** As in syscalls(2); on macOS the operation as sandbox profiles name it. */
  readonly syscall: string
  /** The first process that tried. */
  readonly pid: number
  /** The name of that process (proc_pid_comm(5), at most 15 bytes); empty when it could not be read. */
  readonly program: string
  readonly count: number
}

/** A TCP socket on which a process of a command listened: on this machine only, at a wildcard address too. */
export interface Listening {
  /** `127.0.0.1`, `0.0.0.0`, `::1`, `::` */
  readonly address: string
  readonly port: number
  /** The process that made it listen, and its name (proc_pid_comm(5)). */
  readonly pid: number
  readonly program: string
}

/** What a command newly made or changed that a program outside of the sandbox obeys, without being asked to run the project's code. */
export interface Handoff {
  /** Absolute. */
  readonly path: string
  readonly kind: HandoffKind
  /** The program, or the programs. */
  readonly obeyedBy: string
}

/**
 * `ci`: workflows of a forge. `script`: a package.json with new scripts that an install runs. `environment`: loaded where a shell enters
 * the directory. `settings`: of another program that starts there.
 */
export type HandoffKind =
  | 'repository'
  | 'ci'
  | 'script'
  | 'environment'
  | 'editor'
  | 'agent'
  | 'hook'
  | 'container'
  | 'settings'

/** Why the proxy did not carry a connection. */
export type ConnectionReason =
  /** Neither `[shell] network` nor the call lists the host with this port. */
  | 'not-listed'
  /** `[network] deny` */
  | 'denied'
  /** The approver was asked, and did not agree. */
  | 'not-approved'
  /** The host is a private or special address, or the name leads to one, and the address itself is not listed. */
  | 'not-public'
  /** The name has no address. */
  | 'not-found'
  /** The host refused the connection, or did not answer in time. */
  | 'unreachable'
  /** The command has too many connections, or has moved too many bytes. */
  | 'too-many'

/** One connection of a command whose network is a list of hosts. */
export interface Connection {
  /** A name in ASCII and lower case, or an address. */
  readonly host: string
  readonly port: number
  readonly verdict: 'allowed' | 'refused'
  /** Why it was refused. */
  readonly reason?: ConnectionReason
  /** Bytes that the command sent to the host, and received. */
  readonly sent: number
  readonly received: number
  /** The process that connected, where the system tells. */
  readonly pid?: number
  readonly program?: string
  /** Attempts: refusals for the same reason are one record. */
  readonly count: number
}

export interface Failure {
  readonly kind: 'timeout' | 'permission-denied' | 'not-found' | 'signal' | 'non-zero' | 'limit'
  readonly retryable: boolean
  readonly advice: string
}

export interface RightEnforcement {
  readonly enforced: boolean
  /** The mechanism: `landlock`, `seccomp`, `landlock+seccomp`, `session sweep`, ...; `none`: not enforced. */
  readonly by: string
  readonly note?: string
}

/** Per right (files, metadata, sockets, ...). In write mode: the configured limits, and what a container enforces. */
export type Enforcement = Readonly<Record<string, RightEnforcement>>

/** On one simple command, or on the whole line. */
export interface PolicyMatch {
  /** As written. */
  readonly command: string
  /** The first words of the rule, or the name of a check, for example `redirect`. */
  readonly rule: string
  /** Where the rule comes from: a built-in list, a preset, or a config file. */
  readonly source: string
  readonly verdict: Decision['verdict']
  readonly why: string
}

/** The policy's answer for a command. The strictest match wins, and its `why` becomes the reason. */
export interface Decision {
  readonly verdict: 'allow' | 'ask' | 'deny'
  readonly reason: string
  readonly matches: readonly PolicyMatch[]
  /** The line runs held in read mode, whatever the mode. Present only if true. */
  readonly held?: true
}

export interface ApprovalRecord {
  /**
   * Who answers: `terminal`, `mcp-client`, `mcp-elicitation`, `approver` (the caller's function),
   * `unattended` (the configuration).
   */
  readonly by: string
  /** Whether the question was put for this command. */
  readonly asked: boolean
  /** `none`: no answer in time, or a failed approver. `all` and `same` mean yes, also to later commands. */
  readonly answer: 'yes' | 'no' | 'all' | 'same' | 'none'
  /** The kind of the standing approval that covered the command. */
  readonly standing: 'all' | 'same' | null
}

export type Encoding = 'utf8' | 'buffer'

export type OutputIn<E extends Encoding> = E extends 'buffer' ? Buffer : string

export type AnyResult = Result<string | Buffer>

/** The result of a command. A non-zero exit is a result, never an exception. */
export interface Result<Output extends string | Buffer = string> {
  /**
   * Both streams in the order they arrived; exactly as written with `merged: true`. Over `inlineMaxChars` it is NOT complete: head and
   * tail, with a line between them that says how much is left out.
   */
  readonly output: Output
  /** Bytes left out of `output` between head and tail; 0 when it is complete. */
  readonly omittedBytes: number
  /** Part of `output`, `stdout` or `stderr` is missing. `scratchpad` has all, unless `hint` says why not. */
  readonly truncated: boolean
  /** Cut like `output` when longer than `inlineMaxChars`: check `truncated` before parsing it. */
  readonly stdout: Output
  readonly stderr: Output
  /** Null when a signal ended it. */
  readonly exitCode: number | null
  readonly signal: NodeJS.Signals | null
  readonly timedOut: boolean
  readonly cancelled: boolean
  readonly outputLimited: boolean
  readonly durationMs: number
  readonly bytes: number
  /** True when the first 8 KiB contain a NUL byte. */
  readonly binary: boolean
  /** The deadline in force: the requested one, at most `[shell] max_timeout_ms`. */
  readonly timeoutMs: number
  /** Processes that were still running at the end and were killed. */
  readonly survivorsKilled: number
  /**
   * Processes that live on, in write mode or because the kernel had not ended them: `count` in the command's process group, and `left`
   * those that left it, 8 at most (Linux).
   */
  readonly background?: Background
  /**
   * The limit of `[limits]` that ended the command; `memory` also when the kernel killed a process because
   * the container's memory was used up. `epoll_watches` is the kernel's own limit (epoll(7)).
   */
  readonly limited?: Limit
  readonly denials: readonly Denial[]
  /** Linux, where commands have sockets of their own: the first 32 addresses at which this one listened. */
  readonly listening: readonly Listening[]
  /** Workspace mode: look at these before another program does. At most 100; empty after ordinary work. */
  readonly handoffs: readonly Handoff[]
  /** Where the network is a list of hosts: the connections by the proxy, refused ones too. */
  readonly connections?: readonly Connection[]
  readonly hint?: string
  /** The file with the complete output, byte for byte, when it is not inline or was requested by name. */
  readonly scratchpad?: { readonly name: string; readonly path: string; readonly bytes: number }
  readonly failure?: Failure
  /** Of a session: the directory of its next command, absolute; and whether it is as this command left it. If not, `hint` says why. */
  readonly session?: { readonly cwd: string; readonly kept: boolean }
  readonly mode: Mode
  /** Workspace mode: the directory that the command could change, besides `[workspace] writable`. */
  readonly workspace?: string
  readonly backend: Backend
  readonly enforcement: Enforcement
  readonly decision: Decision
  readonly outcome: Outcome
}
export type Stream = 'stdout' | 'stderr'
