import type { Mode, Result } from '../internal.ts'
import { isVitrineError } from '../messages/error.ts'
import { notApprovedByUser, notAskable, refusalText } from '../messages/mcp/mcp.ts'
import { resultText } from '../messages/mcp/tool.ts'
import { endingWhenBroken } from './broken.ts'
import { brokenGraceMs } from './limits.ts'
import { Progress } from './progress.ts'
import { canElicit, questionFor, withAnswers } from './questions.ts'
import type { CallToolResult, InputRequiredResult, ServerContext } from './sdk.ts'
import type { Session } from './session.ts'
import type { Turns } from './turns.ts'

/** The parameters of `execute_command`, defaults filled in. */
export interface ExecuteArguments {
  readonly command: string
  readonly timeout_ms: number
  readonly scratchpad?: string | undefined
  readonly cwd?: string | undefined
  readonly private_tmp?: boolean | undefined
}

/** What the calls of one connection share. */
export interface Calls {
  readonly session: Session
  readonly turns: Turns
  /** An answer can hold for the rest of the session, for there is one. */
  readonly hasSession: boolean
  /** Milliseconds that a command runs on after its connection has broken. */
  readonly brokenGraceMs?: number | undefined
  /** What the client said it can do, where it said so once for the whole connection. */
  capabilities(): { readonly elicitation?: unknown } | undefined
  /** The list of resources is another one now. */
  saved(): void
}

/** Answers a call of `execute_command`. */
export async function executeCommand(
  calls: Calls,
  mode: Mode,
  asked: ExecuteArguments,
  context: ServerContext,
): Promise<CallToolResult | InputRequiredResult> {
  const { outcome, question, answered } = await withAnswers(context, calls.hasSession, () =>
    run(calls, mode, asked, context),
  )
  if (outcome.status === 'fulfilled') return outcome.value
  if (!question) return refused(outcome.reason, answered)
  if (!canElicit(context, calls.capabilities())) return failed(notAskable(question.decision.reason))
  return questionFor(question, calls.hasSession)
}

async function run(
  calls: Calls,
  mode: Mode,
  asked: ExecuteArguments,
  context: ServerContext,
): Promise<CallToolResult> {
  const { session, turns } = calls
  const progress = new Progress(context, () => turns.waiting)
  try {
    return await endingWhenBroken(context, calls.brokenGraceMs ?? brokenGraceMs, (signal) => {
      const work = () => runInTurn(calls, mode, asked, signal, progress)
      return session.busy(() => turns.run(work, signal))
    })
  } finally {
    progress.end()
  }
}

async function runInTurn(
  { session, saved }: Calls,
  mode: Mode,
  asked: ExecuteArguments,
  signal: AbortSignal,
  progress: Progress,
): Promise<CallToolResult> {
  const shell = await session.shell(mode)
  progress.start()
  const { command, cwd, scratchpad, timeout_ms: timeoutMs, private_tmp: privateTmp } = asked
  const result = await shell.execute(
    { command, cwd, scratchpad, timeoutMs, privateTmp, merged: true },
    { signal, hintFor: 'tool', onOutput: (_stream, chunk) => progress.wrote(chunk.length) },
  )
  if (result.scratchpad) saved()
  const inlineChars = shell.config.output.inline_max_chars
  const text = resultText(result, { timeoutMs, scratchpad, inlineChars })
  return answer(text, session.options.structured ? structured(result) : undefined)
}

function answer(text: string, structuredContent: Record<string, unknown> | undefined): CallToolResult {
  return { content: [{ type: 'text', text }], ...(structuredContent && { structuredContent }) }
}

/** An answer that says that nothing ran, why, and what to do. */
export function failed(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true }
}

/** What is no refusal is a mistake of ours, and goes to the SDK, which answers with its message. */
function refused(error: unknown, answered: boolean): CallToolResult {
  if (!isVitrineError(error)) throw error
  if (answered && error.code === 'NOT_APPROVED') return failed(notApprovedByUser)
  return failed(refusalText(error.code, error.message))
}

/** The fields that `resultSchema` has. Binary output is not shown here either. */
function structured(result: Result): Record<string, unknown> {
  const { exitCode, signal, timedOut, cancelled, outputLimited, durationMs, timeoutMs, bytes } = result
  const { omittedBytes, binary, mode, denials, hint, scratchpad, background, limited, failure } = result
  return {
    output: binary ? '' : result.output,
    ...{ exitCode, signal, timedOut, cancelled, outputLimited, durationMs, timeoutMs, bytes },
    ...{ omittedBytes, binary, mode, denials },
    ...(hint !== undefined && { hint }),
    ...(scratchpad && { scratchpad }),
    ...(background && { background }),
    ...(limited && { limited }),
    ...(failure && { failure }),
  }
}
