import type { HostAnswer, ProtectedAnswer } from '../admit/admission.ts'
import type {
  ApprovalRecord,
  Backend,
  Connection,
  Decision,
  Denial,
  Environment,
  Handoff,
  Limit,
  Mode,
  Outcome,
  PolicyMatch,
} from '../base/types.ts'
import { isSecretName } from '../request/environment.ts'

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

interface AuditRecord {
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

/** The password of a URL: RFC 3986, userinfo. */
const urlPassword = /^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@:]*:([^\s/?#@]+)@/i

/** Shorter values could be words of any command. */
const shortest = 8
const longEnough = 12

/** Replaces values of secret variables by their bracketed names, in every string of a value. */
export type Redact = <T>(value: T) => T

/** Hides the values of variables with secret names. If two have the same value, the later name applies. */
export function redactor(...environments: readonly Environment[]): Redact {
  const names = new Map(environments.flatMap((variables) => Object.entries(variables).flatMap(secretOf)))
  if (names.size === 0) return (value) => value
  // Longest first: one value may contain another.
  const values = [...names.keys()].sort((a, b) => b.length - a.length)
  const any = new RegExp(
    values.map((value) => value.replaceAll(/[.*+?^${}()|[\]\\/-]/g, '\\$&')).join('|'),
    'g',
  )
  const hide = (text: string) => text.replaceAll(any, (value) => `[${names.get(value)}]`)
  return (value) => inEach(value, hide)
}

function secretOf([name, value = '']: [string, string | undefined]): [string, string][] {
  const inUrl = urlPassword.exec(value)?.[1]
  const found: [string, string][] = inUrl === undefined ? [] : [[inUrl, name]]
  if (isSecretName(name) && isNoWord(value)) found.push([value, name])
  return found.flatMap(([secret]) => spellings(secret).map((spelled): [string, string] => [spelled, name]))
}

/** As is, as between single quotes of a shell, and as in JSON, which messages use. */
function spellings(value: string): string[] {
  return [...new Set([value, value.replaceAll("'", "'\\''"), JSON.stringify(value).slice(1, -1)])]
}

function isNoWord(value: string): boolean {
  return value.length >= longEnough || (value.length >= shortest && /[^a-z]/i.test(value))
}

function inEach<T>(value: T, change: (text: string) => string): T
function inEach(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value)
  if (Array.isArray(value)) return value.map((item) => inEach(item, change))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, inEach(item, change)]))
}
