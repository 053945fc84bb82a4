import { randomBytes } from 'node:crypto'
import type { Approval } from '../internal.ts'
import { answerNames, elicitationMessage, elicitationTitle } from '../messages/mcp/mcp.ts'
import {
  type AskedCommand,
  inCall,
  type PendingQuestion,
  type ToolCall,
  type UserAnswer,
} from './approvers.ts'
import {
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type ServerContext,
} from './sdk.ts'

const answers = { y: 'yes', n: 'no', a: 'all', s: 'same' } as const satisfies Record<string, Approval>

/** The possible answers. Without a session, no answer can hold for one. */
function lettersFor(hasSession: boolean): readonly (keyof typeof answers)[] {
  return hasSession ? ['y', 'n', 'a', 's'] : ['y', 'n']
}

/** What one round of a call asks, and the answers of earlier rounds. */
interface Round {
  readonly asked: AskedCommand
  readonly earlier: readonly UserAnswer[]
}

/** Signs questions and answers; one key for every server of this process. */
export const askedState = createRequestStateCodec<Round>({ key: randomBytes(32) })

/** Runs the work of one call; returns its question, if any, and the user's earlier answers. */
export async function withAnswers<T>(
  context: ServerContext,
  hasSession: boolean,
  work: () => Promise<T>,
): Promise<{
  outcome: PromiseSettledResult<T>
  question: PendingQuestion | undefined
  answers: readonly UserAnswer[]
}> {
  const answers = answersIn(context, hasSession)
  const call: ToolCall = { unused: [...answers] }
  const [outcome] = await Promise.allSettled([inCall(call, work)])
  return { outcome, question: call.question, answers }
}

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

export async function questionFor(
  { request, decision }: PendingQuestion,
  earlier: readonly UserAnswer[],
  hasSession: boolean,
): Promise<InputRequiredResult> {
  const { command, cwd, mode } = request
  const letters = lettersFor(hasSession)
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
    requestState: await askedState.mint({ asked: { command, cwd, mode }, earlier }),
  })
}

/** Anything but a clear yes counts as no. */
function answersIn(context: ServerContext, hasSession: boolean): readonly UserAnswer[] {
  const round = context.mcpReq.requestState<Round>()
  const response = inputResponse(context.mcpReq.inputResponses, 'approval')
  if (round === undefined || response.kind !== 'elicit') return []
  const given = response.action === 'accept' ? response.content?.['answer'] : 'n'
  const letter = lettersFor(hasSession).find((known) => known === given) ?? 'n'
  return [...round.earlier, { asked: round.asked, approval: answers[letter] }]
}
