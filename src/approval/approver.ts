import type { Decision, Mode } from '../result/result.ts'

/** What somebody is asked to approve. */
export interface ApprovalRequest {
  /** The shell line, or the argument vector joined by blanks, as it would run. */
  readonly command: string
  readonly cwd: string
  readonly mode: Mode
  /** Aborted when the answer comes too late: then it is no. */
  readonly signal: AbortSignal
}

/** `all`: everything to ask about in this session. `same`: this command, whenever it comes in this session. */
export type Approval = 'yes' | 'no' | 'all' | 'same'

/** Decides what the policy leaves open. A rejected promise counts as no. */
export interface Approver {
  (request: ApprovalRequest, decision: Decision): Promise<Approval>
  /** What the audit log calls it: `terminal`, `mcp-client`, ... Default: `approver`. */
  readonly by?: string
}
