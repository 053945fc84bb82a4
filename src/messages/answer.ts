import { bytesText, sizeText, withLine } from '../base/text.ts'
import type { Denial, Mode, Result } from '../base/types.ts'
import type { VitrineError } from './error.ts'
import { limitAdvice, limitReached } from './limits.ts'
import { describeRefusal, lostLine, omittedLine } from './refusal.ts'
import {
  attemptsIn,
  denialsToList,
  denialText,
  handoffLines,
  leftText,
  lineHeader,
  listeningLines,
  listLines,
  processes,
  survivorsText,
} from './result.ts'

/** The parts of a call that affect the text of its result. */
export interface ToolRequest {
  readonly timeoutMs: number
  readonly scratchpad?: string | undefined
  readonly inlineChars: number
  /** There is no tool that reads the scratchpad. */
  readonly onlyTool?: boolean
  /** The server ends, and so do its commands. */
  readonly ending?: boolean
}

/** The answer to a call: the output of the command, then one line in brackets for each notice. */
export function resultText(result: Result, asked: ToolRequest): string {
  const shown = shownOutput(result, asked.inlineChars)
  const lines = [...endLines(result, asked), ...aboutLines(result, asked)]
  if (lines.length === 0) return shown
  return withLine(shown, lines.map(inBrackets).join('\n'))
}

/** The notices of a command in the background that has ended. Its output has been shown. */
export function endNotices(result: Result): readonly string[] {
  const asked = { timeoutMs: 0, inlineChars: 0 }
  const code = result.outcome.kind === 'exited' && result.outcome.code === 0 ? ['exit code: 0'] : []
  return [...code, ...endLines(result, asked), ...aboutLines(result, asked)]
}

function aboutLines(result: Result, asked: ToolRequest): string[] {
  return [...noticeLines(result, asked), ...savedLines(result, asked)]
}

export function inBrackets(line: string): string {
  return `[${line}]`
}

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
  const shown = texts.map((text, at) => `${lineHeader(lines, at)}\n${withLine(text, '')}`)
  const after = [...(refused ? [refusalText(refused)] : []), ...listLines(lines, results)]
  return [...shown, ...after.map((line) => `${inBrackets(line)}\n`)].join('')
}

/** Binary output is never shown. */
function shownOutput({ bytes, binary, output }: Result, inlineChars: number): string {
  if (bytes === 0) return '(no output)'
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

function endLines({ outcome }: Result, { ending }: ToolRequest): string[] {
  switch (outcome.kind) {
    case 'exited':
      return outcome.code === 0 ? [] : [`exit code: ${outcome.code}`]
    case 'signalled':
      return [`killed by ${outcome.signal}`]
    case 'timed-out':
      return [`timed out after ${outcome.afterMs} ms; terminated`]
    case 'cancelled':
      return [ending ? 'cancelled: the server is ending' : 'cancelled']
    case 'limited':
      return [`killed: ${limitReached(outcome)}. ${limitAdvice(outcome.limit).advice}`]
    case 'output-limit':
      return [`more than ${bytesText(outcome.limit)} of output; killed`]
  }
}

function noticeLines(result: Result, asked: ToolRequest): string[] {
  const { background, survivorsKilled, timeoutMs } = result
  const lines = [
    ...refusedLines(result),
    ...handoffLines(result.handoffs),
    ...listeningLines(result.listening),
  ]
  if (background && background.count > 0)
    lines.push(`${processes(background.count, 'is', 'are')} still running: process group ${background.group}`)
  if (background?.left) lines.push(leftText(background.left))
  if (survivorsKilled > 0 && result.outcome.kind === 'exited') lines.push(survivorsText(survivorsKilled))
  if (asked.timeoutMs > timeoutMs)
    lines.push(`timeout_ms ${asked.timeoutMs} exceeds the maximum; ${timeoutMs} was used`)
  return lines
}

/** What was refused, and what to do about it, for answers of another form. */
export function refusedLines(result: Result): string[] {
  const { hint, mode } = result
  return [...blockedLines(denialsToList(result), mode), ...(hint === undefined ? [] : [hint])]
}

const maxDenialLines = 20

/** `blocked in read mode: write src/a.ts` for the first twenty refusals, then the number of further attempts. */
function blockedLines(denials: readonly Denial[], mode: Mode): string[] {
  const rest = attemptsIn(denials.slice(maxDenialLines))
  const texts = denials.slice(0, maxDenialLines).map((denial) => {
    return `${denialText(denial)}${denial.count > 1 ? ` (${denial.count} times)` : ''}`
  })
  return [...texts, ...(rest === 0 ? [] : [`${rest} more`])].map((text) => `blocked in ${mode} mode: ${text}`)
}

function savedLines({ scratchpad, binary, bytes, omittedBytes }: Result, asked: ToolRequest): string[] {
  if (!scratchpad) return binary ? [`binary output: ${bytesText(bytes)}; it could not be saved`] : []
  const { name, path } = scratchpad
  const taken = asked.scratchpad !== undefined && asked.scratchpad !== name
  const half = Math.floor(asked.inlineChars / 2)
  const rest = asked.onlyTool ? 'the rest is in that file' : 'read the rest with read_scratchpad'
  const cut = `; shown: first and last ${half} characters; ${rest}`
  if (scratchpad.bytes < bytes) return [partText(scratchpad)]
  return [
    binary
      ? `binary output: ${bytesText(scratchpad.bytes)}, saved to scratchpad "${name}" at ${path}`
      : `${savedText(scratchpad)}${omittedBytes > 0 ? cut : ''}`,
    ...(taken ? [`the name "${asked.scratchpad}" is in use: saved as "${name}"`] : []),
  ]
}

/** A full disk takes a part, or nothing; the hint says why. */
function partText({ name, path, bytes }: NonNullable<Result['scratchpad']>): string {
  return `output: only its first ${bytes} bytes are saved, to scratchpad "${name}" at ${path}`
}

export function savedText({ name, path, bytes }: NonNullable<Result['scratchpad']>): string {
  return `output: ${sizeText(bytes)}, saved whole to scratchpad "${name}" at ${path}`
}

export function refusalText({ code, refusal, auditFault }: VitrineError): string {
  const said = describeRefusal(refusal, 'tool')
  return `${code}: ${auditFault ? `${said} ${lostLine(auditFault)}` : said}`
}
