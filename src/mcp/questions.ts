import { randomBytes, randomUUID } from 'node:crypto'
import { visible, whollyVisible } from '../base/text.ts'
import { type ApprovalRequest, answersTo } from '../internal.ts'
import { approvalHeading, reasonsOf, usedOf } from '../messages/approval.ts'
import type { PendingQuestion, RunningQuestion, UserAnswer } from './call.ts'
import {
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type ServerContext,
} from './sdk.ts'

const answers = { y: 'yes', n: 'no', a: 'all', s: 'same' } as const
type Letter = keyof typeof answers
const letters = Object.keys(answers) as readonly Letter[]

const answerNames: Readonly<Record<Letter, string>> = {
  y: 'yes',
  n: 'no',
  a: 'all this session',
  s: 'this command this session',
}

const hostAnswerNames: typeof answerNames = {
  ...answerNames,
  y: 'yes, this command',
  n: 'never in this session',
  s: 'all commands of this session',
}

/** What comes back with the answer to a question. */
interface Asked extends Pick<UserAnswer, 'asked'> {
  readonly id: string
  readonly offered: readonly Letter[]
  /** To earlier questions of the call. */
  readonly earlier: readonly UserAnswer[]
  readonly running?: RunningQuestion | undefined
}

/** Seconds in which a question can be answered. */
const answerSeconds = 600

/** Signs questions and answers; one key for every server of this process. */
export const askedState = createRequestStateCodec<Asked>({ key: randomBytes(32), ttlSeconds: answerSeconds })

/** Questions without an answer: a yes that arrives twice counts once. */
const open = new Set<string>()

function opened(): string {
  const id = randomUUID()
  open.add(id)
  setTimeout(() => open.delete(id), (answerSeconds + 1) * 1000).unref()
  return id
}

/** Whether the client can ask its user; `declared`: its capabilities, if it declared them once for the whole connection. */
export function canElicit({ mcpReq }: ServerContext, declared: unknown): boolean {
  const envelope: Readonly<Record<string, unknown>> = mcpReq.envelope ?? {}
  return Object(envelope[CLIENT_CAPABILITIES_META_KEY] ?? declared).elicitation !== undefined
}

/** @param hasSession an answer can hold for the rest of it */
export async function questionFor(
  { request, decision, running }: PendingQuestion,
  earlier: readonly UserAnswer[],
  hasSession: boolean,
): Promise<InputRequiredResult> {
  const { command, cwd, mode, change, connect } = request
  const possible = answersTo({ ...request, once: request.once || !hasSession })
  const offered = letters.filter((letter) => possible.includes(answers[letter]))
  const names = connect && hasSession ? hostAnswerNames : answerNames
  const answer = {
    type: 'string' as const,
    title: connect ? 'Let it connect?' : change === undefined ? 'Run it?' : 'Let it change that?',
    enum: [...offered],
    enumNames: offered.map((letter) => names[letter]),
  }
  return inputRequired({
    inputRequests: {
      approval: inputRequired.elicit({
        message: questionText(request, reasonsOf(decision), usedOf(decision)),
        requestedSchema: { type: 'object', properties: { answer }, required: ['answer'] },
      }),
    },
    requestState: await askedState.mint({
      ...{ id: opened(), offered, earlier, running },
      asked: { command, cwd, mode },
    }),
  })
}

/** With a margin, no line of the command can imitate a line of vitrine's; invisible characters become visible. */
export function questionText(
  request: Pick<ApprovalRequest, 'command' | 'cwd' | 'mode' | 'change' | 'connect'>,
  reasons: readonly string[],
  used: readonly string[] = [],
): string {
  const heading = approvalHeading(request)
  return [
    `${heading.charAt(0).toUpperCase()}${heading.slice(1)}`,
    ...request.command.split('\n').map((line) => `  ${whollyVisible(line)}`),
    `in ${whollyVisible(request.cwd)}`,
    ...used.map((text) => `its session has: ${whollyVisible(text)}`),
    ...reasons.map((reason, at) => `${at === 0 ? 'asked' : 'and'} because: ${visible(reason)}`),
  ].join('\n')
}

interface AnswersIn {
  readonly given: readonly UserAnswer[]
  readonly running?: RunningQuestion | undefined
  /** The answer has counted before. */
  readonly isUsed: boolean
}

/** Anything but an offered yes counts as no; a question that is closed without a choice (`cancel`) has no answer. */
export function answersIn({ mcpReq }: ServerContext): AnswersIn {
  const round = mcpReq.requestState<Asked>()
  const response = inputResponse(mcpReq.inputResponses, 'approval')
  if (round === undefined || response.kind !== 'elicit')
    return { given: [], running: round?.running, isUsed: false }
  const { asked, earlier, offered, running } = round
  const chosen = response.action === 'accept' ? response.content?.['answer'] : 'n'
  const letter = offered.find((known) => known === chosen) ?? 'n'
  const approval = response.action === 'cancel' ? 'none' : answers[letter]
  const isUsed = running === undefined && !open.delete(round.id)
  return { given: [...earlier, { asked, approval }], running, isUsed }
}
