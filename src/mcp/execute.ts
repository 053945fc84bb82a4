import { visible } from '../base/text.ts'
import type { Turns } from '../base/turns.ts'
import { type LinesRun, type Mode, type Result, runLines, type ToolInput } from '../internal.ts'
import { refusalText } from '../messages/answer.ts'
import { reasonsOf } from '../messages/approval.ts'
import { isShellClosed, isVitrineError } from '../messages/error.ts'
import { askingCalls, Call, type PendingQuestion, type UserAnswer } from './call.ts'
import { answersIn, canElicit, questionFor } from './questions.ts'
import type { CallToolResult, InputRequiredResult, ServerContext } from './sdk.ts'
import type { McpSession } from './session.ts'

/** Milliseconds that a command may run on after the connection of its call breaks. */
export const brokenGraceMs = 5000

export interface McpConnection {
  readonly session: McpSession
  readonly turns: Turns
  /** An answer can hold for the rest of it. */
  readonly hasSession: boolean
  /** Milliseconds that a command outlives its connection; default: `brokenGraceMs`. */
  readonly brokenGraceMs?: number | undefined
  /** Measures and traces the commands of each call. */
  readonly watch?: Watch | undefined
}

/** Runs the commands of one call, and returns or throws what that does. */
export type Watch = (call: WatchedCall, run: () => Promise<LinesRun>) => Promise<LinesRun>

export interface WatchedCall {
  readonly mode: Mode
  readonly session: McpSession
  readonly context: ServerContext
}

export interface ToolCallContext extends McpConnection {
  /** The client's capabilities, if it declared them once for the whole connection. */
  capabilities(): unknown
}

/** The parameters of a call but its mode. */
export interface ToolCall extends ToolInput {
  /** A boolean, where the tool takes it. */
  readonly background?: unknown
}

export function executeCommand(
  calls: ToolCallContext,
  mode: Mode,
  asked: ToolCall,
  context: ServerContext,
): Promise<CallToolResult | InputRequiredResult> {
  const { session, watch } = calls
  const lines = async (call: Call) => {
    const shell = await session.shell(mode)
    call.started()
    return runLines(shell, asked, {
      signal: call.signal,
      hintFor: 'tool',
      onOutput: (_stream, chunk) => call.wrote(chunk),
      isEnding: () => session.isEnding,
    })
  }
  const run = async (call: Call) => {
    if (asked.background) return startInBackground(session, mode, asked, call)
    const ran = await (watch?.({ mode, session, context }, () => lines(call)) ?? lines(call))
    return { ...textResult(ran.text), ...(session.options.structured && structured(ran)) }
  }
  return answerCall(calls, context, run, asked)
}

/** Answers a call with what `run` returns, or with a question to the user, or with what refused it. */
export async function answerCall(
  calls: ToolCallContext,
  context: ServerContext,
  run: (call: Call) => Promise<CallToolResult>,
  asked: Pick<ToolInput, 'next'> = {},
): Promise<CallToolResult | InputRequiredResult> {
  const { given, running, isUsed } = answersIn(context)
  if (isUsed)
    return errorResult(
      'INVALID_REQUEST: This answer of the user has been used, and counts once. Nothing ran. Call the tool again without it, and the user is asked again.',
    )
  const canAsk = canElicit(context, calls.capabilities())
  const call = running ? askingCalls.get(running.call) : begin(calls, run, context, { given, canAsk })
  if (!call)
    return errorResult(
      'INVALID_REQUEST: The command that waited for this answer has ended, and its result is gone. Look at what it changed before you run it again.',
    )
  const approval = given.at(-1)?.approval ?? 'no'
  const { outcome, question } = await (running
    ? call.continue(context, running.number, approval)
    : call.end())
  if (outcome?.status === 'fulfilled') return outcome.value
  if (question) return canAsk ? questionFor(question, given, calls.hasSession) : unasked(question)
  return refused(outcome?.reason, given, asked, calls.session)
}

function begin(
  { session, turns, brokenGraceMs: graceMs = brokenGraceMs }: ToolCallContext,
  run: (call: Call) => Promise<CallToolResult>,
  context: ServerContext,
  approvals: { readonly given: readonly UserAnswer[]; readonly canAsk: boolean },
): Call {
  return new Call(context, {
    ...approvals,
    graceMs,
    ahead: () => turns.waiting,
    work: (call) => session.busy(() => turns.run(() => run(call), call.signal, session)),
  })
}

/** Where structured results are promised, with their fields so far. */
async function startInBackground(
  session: McpSession,
  mode: Mode,
  asked: ToolCall,
  call: Call,
): Promise<CallToolResult> {
  const shell = await session.shell(mode)
  call.started()
  const options = { signal: call.signal, hintFor: 'tool' } as const
  const { text, id, result } = await session.background.start(shell, mode, asked, options)
  const fields = result ? fieldsOf(result) : { output: text, exitCode: null, signal: null }
  return {
    ...textResult(text),
    ...(session.options.structured && { structuredContent: { ...fields, background: id } }),
  }
}

export function textResult(text: string): CallToolResult {
  return { content: [{ type: 'text', text }] }
}

/** An answer that says that nothing ran, why, and what to do. */
export function errorResult(text: string): CallToolResult {
  return { ...textResult(text), isError: true }
}

function unasked({ decision }: PendingQuestion): CallToolResult {
  return errorResult(
    `NOT_APPROVED: This command needs approval (${reasonsOf(decision).join('; ')}), and this client cannot ask its user (no elicitation). The command did not run. Use a command that needs no approval, or ask the user to run it, to allow it in [policy] allow, or to start the server with --approve client.`,
  )
}

/** Any other error is a bug: the SDK answers with its message. */
function refused(
  error: unknown,
  answers: readonly UserAnswer[],
  { next }: Pick<ToolInput, 'next'>,
  { isEnding }: McpSession,
): CallToolResult {
  if (!isVitrineError(error)) throw error
  if (isEnding && isShellClosed(error))
    return errorResult('INVALID_REQUEST: The server is ending. The command did not run.')
  const last = answers.at(-1)
  if (!last || error.code !== 'NOT_APPROVED') return errorResult(refusalText(error))
  const about = next ? ` about "${visible(last.asked.command)}"` : ''
  const [said, then] =
    last.approval === 'none'
      ? [`The question${about} was closed without an answer`, 'tell the user what you want to run, and why']
      : [`The user said no${about}`, 'ask what the user wants instead']
  return errorResult(
    `NOT_APPROVED: ${said}. The command did not run. Do not try the same in another way; ${then}.`,
  )
}

/** The fields of the first line's result and, for a list, those of the lines after it. */
function structured({ lines, results }: LinesRun): Pick<CallToolResult, 'structuredContent'> {
  const [first, ...next] = results.map(fieldsOf)
  const list = lines.length > 1 && { next, notRun: lines.slice(results.length) }
  return { structuredContent: { ...first, ...list } }
}

/** Without what is said twice, or of every command. Binary output is not shown here either. */
function fieldsOf({ stdout: _, stderr: __, enforcement, decision, ...rest }: Result) {
  const fields = { ...rest, output: rest.binary ? '' : rest.output }
  return Object.fromEntries(Object.entries(fields)) // without symbols, which MCP does not take
}
