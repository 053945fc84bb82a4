import type { Decision, Mode } from '../base/types.ts'

/**
 * The standard input of a command. `given`: text or bytes; `bytes` is their number, `sha256` their digest in hex, `beginning` their first
 * 1000 bytes as UTF-8, and `complete` says whether that is all. `unknown`: a stream, a descriptor or a terminal, whose content is
 * not known.
 */
export type ApprovalInput =
  | { readonly kind: 'none' }
  | { readonly kind: 'unknown' }
  | {
      readonly kind: 'given'
      readonly bytes: number
      readonly sha256: string
      readonly beginning: string
      readonly complete: boolean
    }

/** A running command is about to connect to a host that `[shell] network` does not list. */
export interface HostQuestion {
  /** A name in ASCII and lower case, or an address. */
  readonly host: string
  /** The TCP port of the host. */
  readonly port: number
  /** The name of the process that connects. Undefined where the system does not tell. */
  readonly program: string | undefined
}

/** What an approver is asked about. */
export interface ApprovalRequest {
  /** The shell line, or the argv with each word quoted; variables of the request stand in front. */
  readonly command: string
  /** The absolute directory in which it runs. */
  readonly cwd: string
  /** The mode in which it runs with a yes. */
  readonly mode: Mode
  /** To `sh` this is as much a command as `command` is. */
  readonly stdin: ApprovalInput
  /** SHA-256 of what the command's session has defined: the decision's matches say what the line uses of it. Absent: nothing, or no session. */
  readonly session?: string | undefined
  /** What workspace mode protects and the running command is about to change. Absent: the command has not started. */
  readonly change?: string | undefined
  /** A host that `[network] ask` asks about. Absent: the question is not about a host. */
  readonly connect?: HostQuestion | undefined
  /** The command has run, held in read or workspace mode, and would run again. Absent: it would run for the first time. */
  readonly again?: boolean | undefined
  /** The answer holds for this question only: `all` and `same` count as `yes`. Absent: they hold longer. */
  readonly once?: boolean | undefined
  /** Aborts at the time limit, with the caller's signal, or when the command ends: a later answer counts as no. */
  readonly signal: AbortSignal
}

/**
 * The answer of an approver. `all`: yes to every question of this session. `same`: yes to this command in the same directory with the
 * same standard input for the rest of this session; where the input is unknown, `same` counts as `yes`.
 *
 * About a host, `yes` holds for the running command, `same` and `all` for this host and port for the rest of the
 * session, and so does `no`.
 */
export type Approval = 'yes' | 'no' | 'all' | 'same'

/** Answers what the policy asks about. A rejected promise is no answer: it allows nothing and is not remembered. */
export interface Approver {
  /** Puts one question. `decision` is what the policy said. What it throws is no answer. */
  (request: ApprovalRequest, decision: Decision): Promise<Approval>
  /** Its name in the audit log: `terminal`, `mcp-client`, ... Default: `approver`. */
  readonly by?: string
}

/** The answers that a question has. */
export function answersTo({ once, connect }: Pick<ApprovalRequest, 'once' | 'connect'>): readonly Approval[] {
  if (once) return ['yes', 'no']
  return connect ? ['yes', 'same', 'no'] : ['yes', 'no', 'all', 'same']
}
