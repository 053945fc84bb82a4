import type { HostAnswer, ProtectedAnswer } from '../admit/admission.ts'
import type {
  ApprovalRecord,
  Backend,
  Connection,
  Decision,
  Denial,
  Handoff,
  Limit,
  Mode,
  Outcome,
  PolicyMatch,
} from '../base/types.ts'
import type { Redact } from './secrets.ts'

/** The line of a command. Every field is always present; null: not applicable. Described in docs/audit.md. */
export interface CommandLine {
  /** Version of this format. Fields may be added; none is removed or changes its meaning. */
  readonly version: 1
  readonly event: 'command'
  /** When the command was requested: ISO 8601, UTC, milliseconds. */
  readonly time: string
  readonly host: string
  readonly user: string
  readonly pid: number
  /** The shell's session; its scratchpad has the same name. */
  readonly session: string
  /** That it ran in, else the one that was asked for. */
  readonly mode: Mode
  readonly backend: Backend
  readonly cwd: string
  readonly command: string | null
  /** The argument vector of a command without a shell. */
  readonly argv: readonly string[] | null
  readonly decision: AuditDecision | null
  readonly approval: ApprovalRecord | null
  /** How it ended; `refused`: it never ran; `not-started`: an earlier command of its list failed. */
  readonly outcome: Outcome['kind'] | 'refused' | 'not-started'
  readonly refusal: { readonly code: string; readonly message: string } | null
  readonly exitCode: number | null
  readonly signal: string | null
  /** The limit of `[limits]` that ended it. */
  readonly limited: Limit | null
  readonly denials: readonly Denial[]
  readonly handoffs: readonly Handoff[]
  /** Protected paths of workspace mode that it was about to change, and what the approver said. */
  readonly protected: readonly ProtectedAnswer[]
  /** Hosts that `[network] ask` asked about, and what the approver said. */
  readonly hosts: readonly HostAnswer[]
  readonly bytes: number | null
  readonly scratchpad: string | null
  readonly survivorsKilled: number | null
  /** Processes that live on (write mode). */
  readonly background: number | null
  readonly durationMs: number | null
}

/** Where the network is a list of hosts: a line for each connection follows the command's own. */
interface ConnectionLine extends AuditAuthor {
  readonly version: 1
  readonly event: 'connection'
  /** Of the command's line. */
  readonly time: string
  readonly connection: Connection
}

export type AuditLine = CommandLine | ConnectionLine

interface AuditDecision {
  readonly verdict: Decision['verdict']
  readonly reason: string
  /** It ran held in read mode: `mode` says so, too. */
  readonly held: boolean
  readonly rules: readonly PolicyMatch[]
}

export type AuditRequest = Pick<CommandLine, 'time' | 'mode' | 'backend' | 'cwd' | 'command' | 'argv'>
export type AuditAuthor = Pick<CommandLine, 'host' | 'user' | 'pid' | 'session'>
export type AuditEnding = Pick<CommandLine, 'decision' | 'approval' | 'outcome'> & Partial<CommandLine>

/** In the order of the interface. */
const nothing = {
  decision: null,
  approval: null,
  outcome: 'refused',
  refusal: null,
  exitCode: null,
  signal: null,
  limited: null,
  denials: [],
  handoffs: [],
  protected: [],
  hosts: [],
  bytes: null,
  scratchpad: null,
  survivorsKilled: null,
  background: null,
  durationMs: null,
} as const

export interface AuditRecord {
  readonly asked: AuditRequest
  readonly ending: AuditEnding
  readonly connections: readonly Connection[]
}

export function auditLines(
  author: AuditAuthor,
  { asked: { time, ...asked }, ending, connections }: AuditRecord,
  redact: Redact,
): readonly AuditLine[] {
  const command = { version: 1, event: 'command', time, ...author } as const
  const head = { ...command, event: 'connection' } as const
  return [
    { ...command, ...redact({ ...asked, ...nothing, ...ending }) },
    ...connections.map((connection) => ({ ...head, connection: redact(connection) })),
  ]
}
