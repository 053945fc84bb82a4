import type { Turns } from '../base/turns.ts'
import type { Mode, Result, VitrineError } from '../internal.ts'
import { reasonsOf } from '../messages/approval.ts'
import { isShellClosed, isVitrineError } from '../messages/error.ts'
import {
  answeredBefore,
  endedMeanwhile,
  endedUnrun,
  ignoreErrorsAlone,
  notApprovedByUser,
  notAskable,
  refusalText,
  unansweredByUser,
} from '../messages/mcp/mcp.ts'
import { listText } from '../messages/mcp/tool.ts'
import type { UserAnswer } from './approvers.ts'
import { CallEnd } from './broken.ts'
import { brokenGraceMs } from './limits.ts'
import { Progress } from './progress.ts'
import { type CallWork, canElicit, questionFor, runRound } from './questions.ts'
import type { CallToolResult, InputRequiredResult, ServerContext } from './sdk.ts'
import type { McpSession } from './session.ts'

/** The parameters of `execute_command`, with defaults filled in. */
export interface ExecuteArguments {
  readonly command: string
  readonly timeout_ms: number
  readonly scratchpad?: string | undefined
  readonly cwd?: string | undefined
  readonly private_tmp?: boolean | undefined
  readonly next?: readonly string[] | undefined
  readonly ignore_errors?: boolean | undefined
}

export interface ToolCallContext {
  readonly session: McpSession
  readonly turns: Turns
  readonly hasSession: boolean
  /** Milliseconds that a command runs on after its connection breaks. */
  readonly brokenGraceMs?: number | undefined
  /** The client's capabilities, if it declared them once for the whole connection. */
  capabilities(): { readonly elicitation?: unknown } | undefined
  saved(): void
}

export async function executeCommand(
  calls: ToolCallContext,
  mode: Mode,
  asked: ExecuteArguments,
  context: ServerContext,
): Promise<CallToolResult | InputRequiredResult> {
  if (asked.ignore_errors && !asked.next) return errorResult(ignoreErrorsAlone)
  const canAsk = canElicit(context, calls.capabilities())
  const begin = () => workOf(calls, mode, asked, context)
  const round = await runRound(context, { hasSession: calls.hasSession, canAsk, begin })
  if (round === 'ended') return errorResult(endedMeanwhile)
  if (round === 'answered') return errorResult(answeredBefore)
  const { outcome, question, answers } = round
  if (outcome?.status === 'fulfilled') return outcome.value
  if (question && canAsk) return questionFor(question, round, calls.hasSession)
  return question
    ? errorResult(notAskable(reasonsOf(question.decision).join('; ')))
    : refused(outcome?.reason, answers, { next: asked.next, ending: calls.session.isEnding })
}

function workOf(
  calls: ToolCallContext,
  mode: Mode,
  asked: ExecuteArguments,
  context: ServerContext,
): CallWork<CallToolResult> {
  const { session, turns } = calls
  const progress = new Progress(context, () => turns.waiting)
  const end = new CallEnd(context, calls.brokenGraceMs ?? brokenGraceMs)
  const work = () => runInTurn(calls, mode, asked, end.signal, progress)
  return {
    run: () =>
      session
        .busy(() => turns.run(work, end.signal, session))
        .finally(() => {
          progress.end()
          end.release()
        }),
    paused: () => {
      progress.end()
      end.asks()
    },
    continued: (next) => {
      progress.follow(next)
      end.follow(next)
    },
  }
}

async function runInTurn(
  { session, saved }: ToolCallContext,
  mode: Mode,
  asked: ExecuteArguments,
  signal: AbortSignal,
  progress: Progress,
): Promise<CallToolResult> {
  const shell = await session.shell(mode)
  progress.start()
  const { cwd, scratchpad, timeout_ms: timeoutMs, private_tmp: privateTmp } = asked
  const lines = [asked.command, ...(asked.next ?? [])]
  // The answers share the length allowed for one.
  const inlineChars = Math.floor(shell.config.output.inline_max_chars / lines.length)
  const requests = lines.map((command) => ({ command, cwd, scratchpad, timeoutMs, privateTmp, merged: true }))
  const { results, refused } = await ranOf(
    shell.executeAll(requests, {
      signal,
      hintFor: 'tool',
      inlineMaxChars: inlineChars,
      ignoreErrors: asked.ignore_errors ?? false,
      onOutput: (_stream, chunk) => progress.wrote(chunk.length),
    }),
  )
  if (results.some((result) => result.scratchpad)) saved()
  const ending = session.isEnding
  const text = listText({ lines, results, refused }, { timeoutMs, scratchpad, inlineChars, ending })
  const shown = textResult(text)
  return session.options.structured ? { ...shown, structuredContent: structured(lines, results) } : shown
}

/** A list may be refused halfway: the first line can remove the directory of the second. */
async function ranOf(
  list: Promise<readonly Result[]>,
): Promise<{ results: readonly Result[]; refused?: VitrineError }> {
  try {
    return { results: await list }
  } catch (error) {
    if (!isVitrineError(error) || !error.results?.length) throw error
    // The results are text, because no other encoding was requested.
    return { results: error.results as readonly Result[], refused: error }
  }
}

export function textResult(text: string): CallToolResult {
  return { content: [{ type: 'text', text }] }
}

/** An answer that says that nothing ran, why, and what to do. */
export function errorResult(text: string): CallToolResult {
  return { ...textResult(text), isError: true }
}

/** Any other error is a bug: the SDK answers with its message. */
function refused(
  error: unknown,
  answers: readonly UserAnswer[],
  { next, ending }: Pick<ExecuteArguments, 'next'> & { readonly ending: boolean },
): CallToolResult {
  if (!isVitrineError(error)) throw error
  if (ending && isShellClosed(error)) return errorResult(endedUnrun)
  const last = answers.at(-1)
  if (last && error.code === 'NOT_APPROVED') {
    const said = last.approval === 'none' ? unansweredByUser : notApprovedByUser
    return errorResult(said(next ? last.asked.command : undefined))
  }
  return errorResult(refusalText(error))
}

/** The fields of `resultSchema`: those of `command` and, for a list, of the lines after it. */
function structured(lines: readonly string[], results: readonly Result[]): Record<string, unknown> {
  const [first, ...next] = results.map(fieldsOf)
  return { ...first, ...(lines.length > 1 && { next, notRun: lines.slice(results.length) }) }
}

/** Binary output is not shown here either. */
function fieldsOf(result: Result): Record<string, unknown> {
  const { exitCode, signal, timedOut, cancelled, outputLimited, durationMs, timeoutMs, bytes } = result
  const { omittedBytes, binary, mode, denials, listening, handoffs } = result
  const { hint, scratchpad, background, limited, failure } = result
  return {
    output: binary ? '' : result.output,
    ...{ exitCode, signal, timedOut, cancelled, outputLimited, durationMs, timeoutMs, bytes },
    ...{ omittedBytes, binary, mode, denials, listening, handoffs },
    ...(hint !== undefined && { hint }),
    ...(scratchpad && { scratchpad }),
    ...(background && { background }),
    ...(limited && { limited }),
    ...(failure && { failure }),
  }
}
