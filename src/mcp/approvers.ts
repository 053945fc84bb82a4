import { AsyncLocalStorage } from 'node:async_hooks'
import type { Approval, ApprovalRequest, Approver, Decision, Mode } from '../internal.ts'

/** What the user was asked, tied to the call by a signature: a yes counts for the command that was shown, and no other. */
export interface Asked {
  readonly command: string
  readonly cwd: string
  readonly mode: string
}

/** What the user said about one command. */
export interface Answer {
  readonly asked: Asked
  readonly approval: Approval
}

/** The part of one tool call that an approver needs to see, and leaves its question in. */
export interface Call {
  /** From earlier rounds of this call. Each counts once: a list may hold the same command twice. */
  readonly unused: Answer[]
  question?: Question
}

/** What has to be asked before the command may run. */
export interface Question {
  readonly request: ApprovalRequest
  readonly decision: Decision
}

const calls = new AsyncLocalStorage<Call>()

/** Runs the work of one call, so that its approver finds the call. */
export function inCall<T>(call: Call, work: () => Promise<T>): Promise<T> {
  return calls.run(call, work)
}

/** Who decides on what the policy asks about; undefined: `[policy] unattended` does. */
export function approverOf(approve: 'client' | 'elicit' | 'none', mode: Mode): Approver | undefined {
  switch (approve) {
    case 'client':
      // Clients run a tool that is read-only without asking: there nobody has said yes.
      return mode === 'write' ? clientApprover : undefined
    case 'elicit':
      return elicitingApprover
    case 'none':
      return undefined
  }
}

/** The client has asked its user before it called. */
const clientApprover: Approver = Object.assign(async () => 'yes' as const, { by: 'mcp-client' })

/**
 * It cannot wait for an answer: a call that needs one ends with a question, and the client calls again with the answer
 * (MCP 2026-07-28, multi round-trip requests; the SDK does that for older clients).
 */
const elicitingApprover: Approver = Object.assign(elicit, { by: 'mcp-elicitation' })

async function elicit(request: ApprovalRequest, decision: Decision): Promise<Approval> {
  const call = calls.getStore()
  if (!call) return 'no'
  const at = call.unused.findIndex(({ asked }) => isSame(asked, request))
  const [answer] = at === -1 ? [] : call.unused.splice(at, 1)
  if (answer) return answer.approval
  call.question = { request, decision }
  throw new Error('nobody has answered yet')
}

function isSame(asked: Asked, { command, cwd, mode }: ApprovalRequest): boolean {
  return asked.command === command && asked.cwd === cwd && asked.mode === mode
}
