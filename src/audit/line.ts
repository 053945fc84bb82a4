import type {
  ApprovalRecord,
  Backend,
  Decision,
  Denial,
  Limit,
  Mode,
  Outcome,
  PolicyMatch,
} from '../base/types.ts'
import type { Redact } from './secrets.ts'

/** One line of the log. Every field is always there; null: there is nothing to say. docs/audit.md describes it. */
export interface AuditLine {
  /** Of this format. Fields may be added to it; none changes its meaning or goes. */
  readonly version: 1
  /** When the command was asked for: ISO 8601, UTC, milliseconds. */
  readonly time: string
  readonly host: string
  readonly user: string
  /** Of the vitrine process. */
  readonly pid: number
  /** Of the shell; its scratchpad has the same name. */
  readonly session: string
  readonly mode: Mode
  readonly backend: Backend
  readonly cwd: string
  /** The shell line. */
  readonly command: string | null
  /** The argument vector of a command that no shell ran. */
  readonly argv: readonly string[] | null
  readonly decision: AuditDecision | null
  readonly approval: ApprovalRecord | null
  /** How it ended; `refused`: it never ran; `not-started`: a command before it in its list failed. */
  readonly outcome: Outcome['kind'] | 'refused' | 'not-started'
  /** Why it never ran. */
  readonly refusal: { readonly code: string; readonly message: string } | null
  readonly exitCode: number | null
  readonly signal: string | null
  /** The limit of `[limits]` that ended it. */
  readonly limited: Limit | null
  readonly denials: readonly Denial[]
  /** Of output. */
  readonly bytes: number | null
  /** Where the output was saved. */
  readonly scratchpad: string | null
  readonly survivorsKilled: number | null
  /** Processes that live on (write mode). */
  readonly background: number | null
  readonly durationMs: number | null
}

export interface AuditDecision {
  readonly verdict: Decision['verdict']
  readonly reason: string
  readonly rules: readonly PolicyMatch[]
}

/** What is known about a command before it is decided on. */
export type Asked = Pick<AuditLine, 'time' | 'mode' | 'backend' | 'cwd' | 'command' | 'argv'>
/** Who has the log. */
export type Author = Pick<AuditLine, 'host' | 'user' | 'pid' | 'session'>
/** What became of it. */
export type Ending = Pick<AuditLine, 'decision' | 'approval' | 'outcome'> & Partial<AuditLine>

/** A command that said nothing and was not refused anything. */
const nothing = {
  refusal: null,
  exitCode: null,
  signal: null,
  limited: null,
  denials: [],
  bytes: null,
  scratchpad: null,
  survivorsKilled: null,
  background: null,
  durationMs: null,
} as const

/** Puts a line together, in the order of the interface. What others wrote is redacted; our own words stay as they are. */
export function auditLine(author: Author, asked: Asked, ending: Ending, redact: Redact): AuditLine {
  const { time, mode, backend, cwd, command, argv } = asked
  const { decision, approval, outcome, refusal, denials, scratchpad, ...numbers } = { ...nothing, ...ending }
  return {
    ...{ version: 1, time, ...author, mode, backend },
    ...redact({ cwd, command, argv, decision }),
    ...{ approval, outcome },
    ...redact({ refusal, denials, scratchpad }),
    ...numbers,
  }
}
