import { randomBytes } from 'node:crypto'
import type { Approval } from '../internal.ts'
import { answerNames, elicitationMessage, elicitationTitle } from '../messages/mcp/mcp.ts'
import { type Answer, type Asked, type Call, inCall, type Question } from './approvers.ts'
import {
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type ServerContext,
} from './sdk.ts'

const answers = { y: 'yes', n: 'no', a: 'all', s: 'same' } as const satisfies Record<string, Approval>

/** What can be answered. Where there is no session, an answer cannot hold for one. */
function lettersFor(hasSession: boolean): readonly (keyof typeof answers)[] {
  return hasSession ? ['y', 'n', 'a', 's'] : ['y', 'n']
}

/** What one round of a call asks, and what earlier rounds were answered. */
interface Round {
  readonly asked: Asked
  readonly earlier: readonly Answer[]
}

/** Signs what was asked and answered; one key for every server of this process. */
export const askedState = createRequestStateCodec<Round>({ key: randomBytes(32) })

/** Runs the work of one call; returns what it asked, if it asked, and what the user has answered before. */
export async function withAnswers<T>(
  context: ServerContext,
  hasSession: boolean,
  work: () => Promise<T>,
): Promise<{
  outcome: PromiseSettledResult<T>
  question: Question | undefined
  answers: readonly Answer[]
}> {
  const answers = answersIn(context, hasSession)
  const call: Call = { unused: [...answers] }
  const [outcome] = await Promise.allSettled([inCall(call, work)])
  return { outcome, question: call.question, answers }
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

/** The question, as the result of a call. */
export async function questionFor(
  { request, decision }: Question,
  earlier: readonly Answer[],
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

/** Whatever is not clearly a yes is a no. */
function answersIn(context: ServerContext, hasSession: boolean): readonly Answer[] {
  const round = context.mcpReq.requestState<Round>()
  const response = inputResponse(context.mcpReq.inputResponses, 'approval')
  if (round === undefined || response.kind !== 'elicit') return []
  const given = response.action === 'accept' ? response.content?.['answer'] : 'n'
  const letter = lettersFor(hasSession).find((known) => known === given) ?? 'n'
  return [...round.earlier, { asked: round.asked, approval: answers[letter] }]
}
