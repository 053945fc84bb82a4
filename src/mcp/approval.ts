import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'
import {
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type ServerContext,
} from '@modelcontextprotocol/server'
import type { Approval, ApprovalRequest, Approver, Decision } from '../index.ts'
import { answerNames, elicitationMessage, elicitationTitle } from '../result/explain-mcp.ts'

/** What the user was asked, tied to the call by a signature: a yes counts for the command that was shown, and no other. */
interface Asked {
  readonly command: string
  readonly cwd: string
  readonly mode: string
}

/** The part of one tool call that an approver needs to see, and leaves its question in. */
interface Call {
  readonly answered: { readonly asked: Asked; readonly approval: Approval } | undefined
  question?: { readonly request: ApprovalRequest; readonly decision: Decision }
}

const calls = new AsyncLocalStorage<Call>()
const answers: Readonly<Record<string, Approval>> = { y: 'yes', n: 'no', a: 'all', s: 'same' }

/** Signs what was asked; one key for every server of this process. */
export const askedState = createRequestStateCodec<Asked>({ key: randomBytes(32) })

/**
 * The approver of `--approve elicit`. It cannot wait for an answer: a call that needs one ends with a question, and the
 * client calls again with the answer (MCP 2026-07-28, multi round-trip requests; the SDK does that for older clients).
 */
export const elicitingApprover: Approver = async (request, decision) => {
  const call = calls.getStore()
  if (!call) return 'no'
  const { answered } = call
  if (answered && isSame(answered.asked, request)) return answered.approval
  call.question = { request, decision }
  return 'no'
}

/** The approver of `--approve client`: the client has asked its user before it called. */
export const clientApprover: Approver = async () => 'yes'

/** Runs the work of one call; returns what it asked, if it asked. */
export async function withAnswers<T>(
  context: ServerContext,
  work: () => Promise<T>,
): Promise<{ outcome: PromiseSettledResult<T>; question: Call['question']; answered: boolean }> {
  const call: Call = { answered: answeredIn(context) }
  const [outcome] = await Promise.allSettled([calls.run(call, work)])
  return { outcome, question: call.question, answered: call.answered !== undefined }
}

/** Whether the client can put a question to its user. */
export function canElicit(
  context: ServerContext,
  capabilities: { readonly elicitation?: unknown } | undefined,
): boolean {
  const envelope: Readonly<Record<string, unknown>> = context.mcpReq.envelope ?? {}
  const declared = envelope[CLIENT_CAPABILITIES_META_KEY] ?? capabilities
  return (
    typeof declared === 'object' &&
    declared !== null &&
    'elicitation' in declared &&
    declared.elicitation !== undefined
  )
}

/** The question, as the result of a call. Where there is no session, an answer cannot hold for one. */
export async function questionFor(
  { request, decision }: NonNullable<Call['question']>,
  hasSession: boolean,
): Promise<InputRequiredResult> {
  const { command, cwd, mode } = request
  const letters = hasSession ? (['y', 'n', 'a', 's'] as const) : (['y', 'n'] as const)
  const answer = {
    type: 'string' as const,
    title: elicitationTitle,
    enum: [...letters],
    enumNames: letters.map((letter) => answerNames[letter]),
  }
  return inputRequired({
    inputRequests: {
      approval: inputRequired.elicit({
        message: elicitationMessage(request, decision.reason),
        requestedSchema: { type: 'object', properties: { answer }, required: ['answer'] },
      }),
    },
    requestState: await askedState.mint({ command, cwd, mode }),
  })
}

/** Whatever is not clearly a yes is a no. */
function answeredIn(context: ServerContext): Call['answered'] {
  const asked = context.mcpReq.requestState<Asked>()
  const response = inputResponse(context.mcpReq.inputResponses, 'approval')
  if (asked === undefined || response.kind !== 'elicit') return undefined
  const letter = response.action === 'accept' ? String(response.content?.['answer']) : 'n'
  return { asked, approval: answers[letter] ?? 'no' }
}

function isSame(asked: Asked, { command, cwd, mode }: ApprovalRequest): boolean {
  return asked.command === command && asked.cwd === cwd && asked.mode === mode
}
