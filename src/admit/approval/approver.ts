import type { Decision, Mode } from '../../base/types.ts'

/**
 * What a command reads on its standard input. `given`: text or bytes; `beginning` is their first 1000 bytes as UTF-8, and
 * `complete` says whether that is all. `unknown`: a stream, a descriptor or a terminal of its own, which may bring anything.
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

/** What an approver is asked to approve. */
export interface ApprovalRequest {
  /** The shell line, or the argument vector joined by blanks, as it would run. */
  readonly command: string
  readonly cwd: string
  readonly mode: Mode
  /** To `sh` this is as much a command as `command` is. */
  readonly stdin: ApprovalInput
  /** Aborted when the answer comes too late: then it is no. */
  readonly signal: AbortSignal
}

/**
 * `all`: everything to ask about in this session. `same`: this command in the same directory with the same standard input, whenever
 * it comes in this session; where the input is unknown, `same` is a `yes`.
 */
export type Approval = 'yes' | 'no' | 'all' | 'same'

/** Decides what the policy leaves open. A rejected promise counts as no. */
export interface Approver {
  (request: ApprovalRequest, decision: Decision): Promise<Approval>
  /** What the audit log calls it: `terminal`, `mcp-client`, ... Default: `approver`. */
  readonly by?: string
}
