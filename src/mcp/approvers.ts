import { AsyncLocalStorage } from 'node:async_hooks'
import { codedError } from '../base/errno.ts'
import type { Approval, ApprovalRequest, Approver, Decision, Mode } from '../internal.ts'

/** Bound to the call by a signature: a yes counts only for the command that was shown. */
export interface AskedCommand {
  readonly command: string
  readonly cwd: string
  readonly mode: string
}

export interface UserAnswer {
  readonly asked: AskedCommand
  /** `none`: the user closed the question without a choice. */
  readonly approval: Approval | 'none'
}

/** What the approver does in one tool call. */
export interface ToolCall {
  /** From earlier rounds of this call. Each is used once: a list may contain the same command twice. */
  readonly unused: UserAnswer[]
  /** A command that has not started: the call ends with the question. */
  question?: PendingQuestion
  /** A command that runs, or has run: the work goes on and waits for the answer. */
  ask(question: PendingQuestion): Promise<Approval>
}

export interface PendingQuestion {
  readonly request: ApprovalRequest
  readonly decision: Decision
}

const calls = new AsyncLocalStorage<ToolCall>()

export function inCall<T>(call: ToolCall, work: () => Promise<T>): Promise<T> {
  return calls.run(call, work)
}

/** Approves what the policy asks about; undefined: `[policy] unattended` decides. */
export function approverOf(approve: 'client' | 'elicit' | 'none', mode: Mode): Approver | undefined {
  switch (approve) {
    case 'client':
      // Clients run a read-only tool without asking, so in read mode no user has said yes.
      return mode === 'write' ? clientApprover : undefined
    case 'elicit':
      return elicitingApprover
    case 'none':
      return undefined
  }
}

const clientApprover: Approver = Object.assign(async () => 'yes' as const, { by: 'mcp-client' })

/**
 * A call that needs an answer ends with a question; the client calls again with it (MCP 2026-07-28, multi
 * round-trip requests; the SDK emulates them for older clients).
 */
const elicitingApprover: Approver = Object.assign(elicit, { by: 'mcp-elicitation' })

async function elicit(request: ApprovalRequest, decision: Decision): Promise<Approval> {
  const call = calls.getStore()
  if (!call) return 'no'
  // The command runs or has run: to begin the call again would run it twice.
  if (request.again || request.change !== undefined || request.connect) return call.ask({ request, decision })
  const at = call.unused.findIndex(({ asked }) => isSame(asked, request))
  const [answer] = at === -1 ? [] : call.unused.splice(at, 1)
  if (answer?.approval === 'none') throw codedError('unanswered')
  if (answer) return answer.approval
  call.question = { request, decision }
  throw codedError('unanswered')
}

function isSame(asked: AskedCommand, { command, cwd, mode }: ApprovalRequest): boolean {
  return asked.command === command && asked.cwd === cwd && asked.mode === mode
}
