import type { Connection, Handoff, Listening } from './reports.ts'

export type { Connection, ConnectionReason, Handoff, HandoffKind, Listening } from './reports.ts'

/**
 * `read`: the operating system makes the command read-only. `workspace`: it holds the command's changes inside the
 * workspace. `write`: the command runs unsandboxed.
 */
export type Mode = 'read' | 'workspace' | 'write'

/** From the strictest on. */
export const modes = ['read', 'workspace', 'write'] as const satisfies readonly Mode[]
/** Where commands run: on this machine, or in a container. */
export type Backend = 'local' | 'docker'

/** Variables by name; undefined: there is none of this name. */
export type Environment = Readonly<Record<string, string | undefined>>

/**
 * How a command ended. The first cause wins: a command killed at its deadline is `timed-out`, whatever its exit code. `code`: its exit code.
 * `signal`: what ended it. `afterMs`: the deadline in milliseconds. `limit` of `output-limit`: bytes.
 */
export type Outcome =
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'signalled'; readonly signal: NodeJS.Signals }
  | { readonly kind: 'timed-out'; readonly afterMs: number }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'output-limit'; readonly limit: number }
  /** `value`: bytes, seconds or processes. `container`: it is `[docker] memory`; absent: it is one of `[limits]`. */
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

/** Processes that a command left, and that live on. */
export interface Background {
  /** Those in the command's process group. */
  readonly count: number
  /** The process group, for kill(2): `kill -- -GROUP`. */
  readonly group: number
  /** Linux: the first 8 that left the group, by `pid` and name (`program`). Absent: none did. */
  readonly left?: readonly { readonly pid: number; readonly program: string }[]
}

/** One refused attempt of a command, with the number of its repetitions. */
export interface Denial {
  /** What the call would have done. */
  readonly operation: Operation
  /** Absolute; links are resolved. For a rename the source, or the new name if only that is protected; for a link the new name. Absent: it
   * was not about a file. */
  readonly path?: string
  /** `127.0.0.1:80`, `[::1]:80`, `/run/x.sock`, `@name`; of a socket its family (`inet raw`); of a signal `pid 1` or `group 1`.
   * Absent: it was about none of these. */
  readonly address?: string
  /** Workspace mode: the path is protected, leads to something protected, or is another name of it. Else absent. */
  readonly protected?: true
  /** Linux: it would have been allowed, had the program no sandbox of its own. Else absent. */
  readonly ownSandbox?: true
  /** The proxy refused it: `address` is the host that was asked for, with its port. Else absent. */
  readonly host?: true
  /** As in syscalls(2); on macOS the operation as sandbox profiles name it. */
  readonly syscall: string
  /** The first process that tried. */
  readonly pid: number
  /** The name of that process (proc_pid_comm(5), at most 15 bytes); empty when it could not be read. */
  readonly program: string
  /** Attempts. */
  readonly count: number
}

/** Why a command failed, and whether another try makes sense. */
export interface Failure {
  /** `not-found`: exit code 127. `permission-denied`: exit code 126, a refusal, or words of one in its errors. */
  readonly kind: 'timeout' | 'permission-denied' | 'not-found' | 'signal' | 'non-zero' | 'limit'
  /** Whether the same command can succeed: with more time, with less output. */
  readonly retryable: boolean
  /** What to do next, in a sentence. */
  readonly advice: string
}

/** How one right is enforced. */
export interface RightEnforcement {
  /** Whether the system holds commands to it. */
  readonly enforced: boolean
  /** The mechanism: `landlock`, `seccomp`, `landlock+seccomp`, `session sweep`, ...; `none`: not enforced. */
  readonly by: string
  /** What is not covered, in a sentence. Absent: nothing is known. */
  readonly note?: string
}

/** Per right (files, metadata, sockets, ...). In write mode: the configured limits, and what a container enforces. */
export type Enforcement = Readonly<Record<string, RightEnforcement>>

/** One rule that matched: a simple command, or the whole line. */
export interface PolicyMatch {
  /** As written. */
  readonly command: string
  /** The first words of the rule, or the name of a check, for example `redirect`. */
  readonly rule: string
  /** Where the rule comes from: a built-in list, a preset, or a config file. */
  readonly source: string
  /** What the rule says. */
  readonly verdict: Decision['verdict']
  /** Its reason. */
  readonly why: string
}

/** The policy's answer for a command. The strictest match wins, and its `why` becomes the reason. */
export interface Decision {
  /** `ask`: the approver decides, or `[policy] unattended` where there is none. */
  readonly verdict: 'allow' | 'ask' | 'deny'
  /** In words. */
  readonly reason: string
  /** Every rule that matched. */
  readonly matches: readonly PolicyMatch[]
  /** The line runs held in read mode, whatever the mode. Absent if not. */
  readonly held?: true
}

/** What an approver answered about a command. */
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
  /** The kind of the standing approval that covered the command; null: none did. */
  readonly standing: 'all' | 'same' | null
}

/** Output as text, or as the bytes that arrived. */
export type Encoding = 'utf8' | 'buffer'

/** The type of output in an encoding. */
export type OutputIn<E extends Encoding> = E extends 'buffer' ? Buffer : string

/** A result in either encoding. */
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
  /** Cut as `stdout` is. Empty with `merged: true`. */
  readonly stderr: Output
  /** Null when a signal ended it. */
  readonly exitCode: number | null
  /** The signal that ended it; null when it exited. */
  readonly signal: NodeJS.Signals | null
  /** It reached its deadline. */
  readonly timedOut: boolean
  /** `signal` of the call, `close` or `kill` ended it. */
  readonly cancelled: boolean
  /** It was killed because it wrote more than `[output] max_bytes`. */
  readonly outputLimited: boolean
  /** Whole milliseconds from its start to its end. */
  readonly durationMs: number
  /** Bytes written to both streams. */
  readonly bytes: number
  /** True when the first 8 KiB contain a NUL byte. */
  readonly binary: boolean
  /** The deadline in force, in milliseconds: the requested one, at most `[shell] max_timeout_ms`. */
  readonly timeoutMs: number
  /** Processes that were still running at the end and were killed. */
  readonly survivorsKilled: number
  /**
   * Processes that live on, in write mode or because the kernel had not ended them. Absent: there are none.
   */
  readonly background?: Background
  /**
   * The limit of `[limits]` that ended the command; absent: none did. `memory` also when the kernel killed a process because
   * the container's memory was used up. `epoll_watches` is the kernel's own limit (epoll(7)).
   */
  readonly limited?: Limit
  /** What the sandbox refused, in 64 rows and one that sums up the rest. */
  readonly denials: readonly Denial[]
  /** Linux, where commands have sockets of their own: the first 32 addresses at which this one listened. */
  readonly listening: readonly Listening[]
  /** Workspace mode: look at these before another program does. At most 100; empty after ordinary work. */
  readonly handoffs: readonly Handoff[]
  /** The connections by the proxy, refused ones too. Absent where the network is no list of hosts. */
  readonly connections?: readonly Connection[]
  /** What to know or to do next, in a sentence, for the reader of `hintFor`. Absent: nothing. */
  readonly hint?: string
  /** `name`, `path` and `bytes` of the file with the complete output, byte for byte. Absent: it is inline, and no name was given. */
  readonly scratchpad?: { readonly name: string; readonly path: string; readonly bytes: number }
  /** Absent when it exited with 0, or was cancelled. */
  readonly failure?: Failure
  /** How a command of a session has left it. Absent for other commands. */
  readonly session?: {
    /** The absolute directory of its next command. */
    readonly cwd: string
    /** Whether it has the state that this command ended with. If not, `hint` says why. */
    readonly kept: boolean
  }
  /** The mode in which it ran: read for a held line of write mode. */
  readonly mode: Mode
  /** Workspace mode: the directory that the command could change, besides `[workspace] writable`. Else absent. */
  readonly workspace?: string
  /** Where it ran. */
  readonly backend: Backend
  /** What was enforced, per right. */
  readonly enforcement: Enforcement
  /** What the policy said. */
  readonly decision: Decision
  /** How it ended, with the facts. */
  readonly outcome: Outcome
}
/** The stream of a command's output. */
export type Stream = 'stdout' | 'stderr'
