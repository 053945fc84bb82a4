import { randomBytes, randomUUID } from 'node:crypto'
import { codedError } from '../base/errno.ts'
import { visible, whollyVisible } from '../base/text.ts'
import { type Approval, type ApprovalRequest, answersTo } from '../internal.ts'
import { approvalHeading, reasonsOf } from '../messages/approval.ts'
import {
  type AskedCommand,
  inCall,
  type PendingQuestion,
  RunningCall,
  type RunningQuestion,
  runningCall,
  type ToolCall,
  type UserAnswer,
} from './approvals.ts'
import {
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type ServerContext,
} from './sdk.ts'

const answers = { y: 'yes', n: 'no', a: 'all', s: 'same' } as const satisfies Record<string, Approval>

const letters = ['y', 'n', 'a', 's'] as const satisfies readonly (keyof typeof answers)[]

/** The possible answers. Without a session, no answer can hold for one. */
function lettersFor(
  hasSession: boolean,
  question: Pick<ApprovalRequest, 'once' | 'connect'>,
): readonly (keyof typeof answers)[] {
  const offered = answersTo({ ...question, once: question.once || !hasSession })
  return letters.filter((letter) => offered.includes(answers[letter]))
}

const answerNames: Readonly<Record<keyof typeof answers, string>> = {
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

/** What one round of a call asks, and the answers of earlier rounds. */
interface Round {
  readonly id: string
  readonly offered: readonly (keyof typeof answers)[]
  readonly asked: AskedCommand
  readonly earlier: readonly UserAnswer[]
  /** The command runs, and waits for the answer. */
  readonly running?: RunningQuestion | undefined
}

/** Questions to the user in one call: the SDK ends older clients' calls after 8 rounds. */
const maxQuestions = 8

/** Seconds in which a question can be answered. */
const answerSeconds = 600

/** Signs questions and answers; one key for every server of this process. */
export const askedState = createRequestStateCodec<Round>({ key: randomBytes(32), ttlSeconds: answerSeconds })

/** Questions without an answer, and when they can be forgotten: a yes that arrives twice counts once. */
const open = new Map<string, number>()

function opened(): string {
  const nowMs = Date.now()
  for (const [id, untilMs] of open) if (untilMs < nowMs) open.delete(id)
  const id = randomUUID()
  open.set(id, nowMs + (answerSeconds + 1) * 1000)
  return id
}

/** What a round of a call leaves: the outcome of its work, a question, or both (the work ended with the question). */
export interface Asked<T> {
  readonly outcome?: PromiseSettledResult<T>
  readonly question?: PendingQuestion | undefined
  readonly running?: RunningQuestion
  readonly answers: readonly UserAnswer[]
}

/** What the requests of a call wait for, one after the other. */
export interface CallWork<T> {
  run(): Promise<T>
  /** A question ends the request while the work goes on. */
  paused(): void
  /** A further request waits for the work. */
  continued(context: ServerContext): void
}

export interface RoundOptions<T> {
  readonly hasSession: boolean
  readonly canAsk: boolean
  begin(): CallWork<T>
}

/**
 * Begins the work of a call, or continues it with the user's answer. `ended`: the work has ended long ago; `answered`: it has begun with
 * this answer before.
 */
export async function runRound<T>(
  context: ServerContext,
  options: RoundOptions<T>,
): Promise<Asked<T> | 'ended' | 'answered'> {
  const { id, running, given } = answerIn(context)
  if (running === undefined)
    return id === undefined || open.delete(id) ? firstRound(given, options) : 'answered'
  const call = runningCall<T>(running.id)
  const [answer] = given.slice(-1)
  const end = await call?.continue(context, running.number, answer?.approval ?? 'no')
  return end ? { answers: given, ...end } : 'ended'
}

async function firstRound<T>(
  given: readonly UserAnswer[],
  { canAsk, begin }: RoundOptions<T>,
): Promise<Asked<T>> {
  const work = begin()
  let asked = given.length
  const call: ToolCall = {
    unused: [...given],
    ask: async (question) => {
      if (!canAsk || asked >= maxQuestions) throw codedError('unanswered')
      asked++
      work.paused()
      return running.ask(question)
    },
  }
  const running = new RunningCall(() => inCall(call, work.run), work.continued)
  const end = await running.end()
  return { answers: given, question: call.question, ...end }
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
  { answers: earlier, running }: Pick<Asked<unknown>, 'answers' | 'running'>,
  hasSession: boolean,
): Promise<InputRequiredResult> {
  const { command, cwd, mode, change, connect } = request
  const offered = lettersFor(hasSession, request)
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
        message: questionText(request, reasonsOf(decision)),
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
): string {
  const heading = approvalHeading(request)
  return [
    `${heading.charAt(0).toUpperCase()}${heading.slice(1)}`,
    ...request.command.split('\n').map((line) => `  ${whollyVisible(line)}`),
    `in ${whollyVisible(request.cwd)}`,
    ...reasons.map((reason, at) => `${at === 0 ? 'asked' : 'and'} because: ${visible(reason)}`),
  ].join('\n')
}

interface AnswerIn {
  /** Of the question that was answered. */
  readonly id?: string
  readonly given: readonly UserAnswer[]
  readonly running?: RunningQuestion | undefined
}

/** Anything but an offered yes counts as no; a question that is closed without a choice (`cancel`) has no answer. */
function answerIn(context: ServerContext): AnswerIn {
  const round = context.mcpReq.requestState<Round>()
  const response = inputResponse(context.mcpReq.inputResponses, 'approval')
  if (round === undefined || response.kind !== 'elicit') return { given: [], running: round?.running }
  const chosen = response.action === 'accept' ? response.content?.['answer'] : 'n'
  const letter = round.offered.find((known) => known === chosen) ?? 'n'
  const approval = response.action === 'cancel' ? 'none' : answers[letter]
  return { id: round.id, given: [...round.earlier, { asked: round.asked, approval }], running: round.running }
}
