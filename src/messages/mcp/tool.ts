import type { Mode, Result } from '../../base/types.ts'
import type { Config } from '../../config/schema.ts'
import { denialsToList } from '../denials.ts'
import type { VitrineError } from '../error.ts'
import { lineHeader, listLines } from '../list.ts'
import { omittedLine } from '../refusal.ts'
import type { ToolFacts } from './mcp.ts'
import * as say from './mcp.ts'

/** The parts of a call that affect the text of its result. */
export interface ToolRequest {
  readonly timeoutMs: number
  readonly scratchpad?: string | undefined
  readonly inlineChars: number
}

/** The answer to a call: the output of the command, then one line in brackets for each notice. */
export function resultText(result: Result, asked: ToolRequest): string {
  const shown = shownOutput(result, asked.inlineChars)
  const lines = [...endLines(result), ...noticeLines(result, asked), ...savedLines(result, asked)]
  if (lines.length === 0) return shown
  return `${shown}${shown === '' || shown.endsWith('\n') ? '' : '\n'}${lines.join('\n')}`
}

/** The lines of one call and their results. */
export interface ListOutcome {
  readonly lines: readonly string[]
  readonly results: readonly Result[]
  /** Why the line after the results could not be started. */
  readonly refused?: VitrineError | undefined
}

/** The answer to a call with several lines: each result after its line, then which lines failed and which did not run. */
export function listText({ lines, results, refused }: ListOutcome, asked: ToolRequest): string {
  const texts = results.map((result) => resultText(result, asked))
  if (lines.length === 1) return texts.join('')
  const shown = texts.map((text, at) => `${lineHeader(lines, at)}\n${text}${text.endsWith('\n') ? '' : '\n'}`)
  const after = [...(refused ? [say.refusalText(refused)] : []), ...listLines(lines, results)]
  return [...shown, ...after.map((line) => `${say.hintLine(line)}\n`)].join('')
}

/** Binary output is never shown. */
function shownOutput({ bytes, binary, output }: Result, inlineChars: number): string {
  if (bytes === 0) return say.noOutput
  return binary ? '' : bounded(output, inlineChars)
}

/** Output that could not be saved is complete in the result; a model gets its head and tail. */
function bounded(output: string, inlineChars: number): string {
  const maxChars = inlineChars + maxMarkLength
  if (output.length <= maxChars) return output
  const half = Math.floor(inlineChars / 2)
  const left = output.slice(half, output.length - half)
  return `${output.slice(0, half)}${omittedLine(Buffer.byteLength(left))}${output.slice(output.length - half)}`
}

/** Room for the line between head and tail, which may name two paths. */
const maxMarkLength = 10_000

function endLines({ outcome }: Result): string[] {
  switch (outcome.kind) {
    case 'exited':
      return outcome.code === 0 ? [] : [say.exitCodeLine(outcome.code)]
    case 'signalled':
      return [say.killedByLine(outcome.signal)]
    case 'timed-out':
      return [say.timedOutLine(outcome.afterMs)]
    case 'cancelled':
      return [say.cancelledLine]
    case 'limited':
      return [say.limitedLine(outcome)]
    case 'output-limit':
      return [say.outputLimitLine(outcome.limit)]
  }
}

function noticeLines(result: Result, { timeoutMs }: ToolRequest): string[] {
  const { hint, background, survivorsKilled } = result
  return [
    ...say.blockedLines(denialsToList(result), result.mode),
    ...(hint === undefined ? [] : [say.hintLine(hint)]),
    ...(background ? [say.backgroundLine(background)] : []),
    ...(survivorsKilled > 0 && result.outcome.kind === 'exited' ? [say.survivorsLine(survivorsKilled)] : []),
    ...(timeoutMs > result.timeoutMs ? [say.loweredTimeoutLine(timeoutMs, result.timeoutMs)] : []),
  ]
}

function savedLines({ scratchpad, binary, bytes, omittedBytes }: Result, asked: ToolRequest): string[] {
  if (!scratchpad) return binary ? [say.binaryUnsavedLine(bytes)] : []
  const taken = asked.scratchpad !== undefined && asked.scratchpad !== scratchpad.name
  return [
    binary ? say.binaryLine(scratchpad) : textSavedLine(scratchpad, omittedBytes, asked.inlineChars),
    ...(taken ? [say.takenNameLine(asked.scratchpad ?? '', scratchpad.name)] : []),
  ]
}

function textSavedLine(
  saved: NonNullable<Result['scratchpad']>,
  omittedBytes: number,
  inlineChars: number,
): string {
  return omittedBytes > 0 ? say.cutLine(saved, Math.floor(inlineChars / 2)) : say.savedLine(saved)
}

/** The defaults, for a description if no shell could be opened. */
const unknownConfig = {
  shell: { network: false, timeout_ms: 30_000, max_timeout_ms: 600_000 },
  output: { inline_max_chars: 30_000 },
}

/** The facts of a tool's description, from the configuration. */
export function factsOf(
  config: Pick<Config, 'shell' | 'output'> | undefined,
  mode: Mode,
  looserTool: string | undefined,
  interpreter: ToolFacts['interpreter'],
): ToolFacts {
  const { shell, output } = config ?? unknownConfig
  return {
    mode,
    looserTool,
    network: shell.network,
    interpreter,
    defaultTimeoutMs: Math.min(shell.timeout_ms, shell.max_timeout_ms),
    maxTimeoutMs: shell.max_timeout_ms,
    inlineChars: output.inline_max_chars,
  }
}
