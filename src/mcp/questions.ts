import { randomBytes } from 'node:crypto'
import type { Approval } from '../internal.ts'
import { answerNames, elicitationMessage, elicitationTitle } from '../messages/mcp/mcp.ts'
import { type Asked, type Call, inCall, type Question } from './approvers.ts'
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

/** Signs what was asked; one key for every server of this process. */
export const askedState = createRequestStateCodec<Asked>({ key: randomBytes(32) })

/** Runs the work of one call; returns what it asked, if it asked. */
export async function withAnswers<T>(
  context: ServerContext,
  hasSession: boolean,
  work: () => Promise<T>,
): Promise<{ outcome: PromiseSettledResult<T>; question: Question | undefined; answered: boolean }> {
  const call: Call = { answered: answeredIn(context, hasSession) }
  const [outcome] = await Promise.allSettled([inCall(call, work)])
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

/** The question, as the result of a call. */
export async function questionFor(
  { request, decision }: Question,
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
    requestState: await askedState.mint({ command, cwd, mode }),
  })
}

/** Whatever is not clearly a yes is a no. */
function answeredIn(context: ServerContext, hasSession: boolean): Call['answered'] {
  const asked = context.mcpReq.requestState<Asked>()
  const response = inputResponse(context.mcpReq.inputResponses, 'approval')
  if (asked === undefined || response.kind !== 'elicit') return undefined
  const given = response.action === 'accept' ? response.content?.['answer'] : 'n'
  const letter = lettersFor(hasSession).find((known) => known === given) ?? 'n'
  return { asked, approval: answers[letter] }
}
