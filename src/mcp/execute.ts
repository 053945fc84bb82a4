import { sizeText, visible } from '../base/text.ts'
import type { Turns } from '../base/turns.ts'
import type { Mode, Result, VitrineError } from '../internal.ts'
import { listText, refusalText } from '../messages/answer.ts'
import { reasonsOf } from '../messages/approval.ts'
import { isShellClosed, isVitrineError } from '../messages/error.ts'
import { ignoreErrorsWithoutNext } from '../messages/tool.ts'
import type { UserAnswer } from './approvals.ts'
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

/** Milliseconds that a command may run on after the connection of its call breaks. */
export const brokenGraceMs = 5000

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
  if (asked.ignore_errors && !asked.next)
    return errorResult(`INVALID_REQUEST: ${ignoreErrorsWithoutNext} Nothing ran.`)
  const canAsk = canElicit(context, calls.capabilities())
  const begin = () => workOf(calls, mode, asked, context)
  const round = await runRound(context, { hasSession: calls.hasSession, canAsk, begin })
  if (round === 'ended')
    return errorResult(
      'INVALID_REQUEST: The command that waited for this answer has ended, and its result is gone. Look at what it changed before you run it again.',
    )
  if (round === 'answered')
    return errorResult(
      'INVALID_REQUEST: This answer of the user has been used, and counts once. Nothing ran. Call the tool again without it, and the user is asked again.',
    )
  const { outcome, question, answers } = round
  if (outcome?.status === 'fulfilled') return outcome.value
  if (question && canAsk) return questionFor(question, round, calls.hasSession)
  return question
    ? errorResult(
        `NOT_APPROVED: This command needs approval (${reasonsOf(question.decision).join('; ')}), and this client cannot ask its user (no elicitation). The command did not run. Use a command that needs no approval, or ask the user to run it, to allow it in [policy] allow, or to start the server with --approve client.`,
      )
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
  if (ending && isShellClosed(error))
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

type Requested = Pick<ServerContext, 'mcpReq' | 'http'>

/**
 * Ends the work of a call: `signal` aborts with the request that waits for its answer, or `graceMs` after the
 * connection of that request breaks. In an HTTP session that cancels nothing by itself (MCP 2025-11-25,
 * Transports), and no answer can be delivered.
 */
class CallEnd {
  readonly #end = new AbortController()
  readonly #graceMs: number
  #connected = new AbortController()
  #released = new AbortController()
  #staysOpen = true
  #timer: NodeJS.Timeout | undefined

  constructor(context: Requested, graceMs: number) {
    this.#graceMs = graceMs
    this.follow(context)
  }

  get signal(): AbortSignal {
    return this.#end.signal
  }

  /** A further request waits for the answer, instead of the one before. */
  follow({ mcpReq, http }: Requested): void {
    this.release()
    this.#connected = new AbortController()
    this.#released = new AbortController()
    this.#staysOpen = mcpReq.envelope === undefined
    const cancel = () => this.#end.abort(mcpReq.signal.reason)
    const broken = () => {
      this.#timer = setTimeout(() => this.#end.abort(), this.#graceMs)
    }
    if (mcpReq.signal.aborted) cancel()
    mcpReq.signal.addEventListener('abort', cancel, { once: true, signal: this.#released.signal })
    http?.req?.signal.addEventListener('abort', broken, { once: true, signal: this.#connected.signal })
  }

  /** The request asks a question. Since MCP 2026-07-28 that ends it, and the SDK aborts its signal when its connection closes. */
  asks(): void {
    this.#connected.abort()
    if (!this.#staysOpen) this.#released.abort()
  }

  release(): void {
    clearTimeout(this.#timer)
    this.#connected.abort()
    this.#released.abort()
  }
}

const everyMs = 500

/** Reports the progress of a call, if the client asked for it. */
class Progress {
  #context: ServerContext
  #timer: NodeJS.Timeout | undefined
  readonly #ahead: () => number
  readonly #called = performance.now()
  #started: number | undefined
  #bytes = 0

  constructor(context: ServerContext, ahead: () => number) {
    this.#context = context
    this.#ahead = ahead
    this.follow(context)
  }

  /** A further request waits for the same work. */
  follow(context: ServerContext): void {
    this.end()
    this.#context = context
    if (context.mcpReq._meta?.progressToken !== undefined)
      this.#timer = setInterval(() => this.#tell(), everyMs)
  }

  start(): void {
    this.#started = performance.now()
  }

  wrote(bytes: number): void {
    this.#bytes += bytes
  }

  end(): void {
    clearInterval(this.#timer)
  }

  /** `progress` must grow each time (MCP, utilities/progress): it is the seconds since the call. */
  #tell(): void {
    const now = performance.now()
    const message =
      this.#started === undefined
        ? `waiting to start, commands ahead: ${this.#ahead()}`
        : `running for ${((now - this.#started) / 1000).toFixed(1)} s, ${sizeText(this.#bytes)} of output`
    const params = {
      progressToken: this.#context.mcpReq._meta?.progressToken ?? '',
      progress: (now - this.#called) / 1000,
      message,
    }
    this.#context.mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {
      // The connection is gone; its signal ends the call.
    })
  }
}
