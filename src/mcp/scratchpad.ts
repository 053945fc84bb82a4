import { withLine } from '../base/text.ts'
import {
  findAnywhere,
  grepEntry,
  isBinary,
  readBytes,
  readLines,
  type ScratchpadEntry,
  scratchpadRoots,
} from '../internal.ts'
import * as say from '../messages/mcp/scratchpad.ts'
import { entryLine } from '../messages/scratchpad.ts'
import { errorResult, textResult } from './execute.ts'
import type { CallToolResult } from './sdk.ts'
import type { McpSession } from './session.ts'

/** The parameters of `read_scratchpad`, with defaults filled in. */
export interface ReadArguments {
  readonly name: string
  readonly unit: 'lines' | 'bytes'
  readonly offset?: number | undefined
  readonly limit?: number | undefined
  readonly grep?: string | undefined
  readonly context: number
  readonly ignore_case: boolean
}

/** Milliseconds that matching a pattern may take on one entry. */
const grepTimeoutMs = 5000

export function listScratchpad({ scratchpad }: McpSession): CallToolResult {
  const entries = scratchpad?.entries() ?? []
  return textResult(entries.length === 0 ? say.nothingSaved : entries.map(entryLine).join('\n'))
}

export async function readScratchpad(
  { scratchpad, options }: McpSession,
  asked: ReadArguments,
  maxChars: number,
): Promise<CallToolResult> {
  const own = scratchpad?.find(asked.name)
  // A restarted client still knows the names of earlier sessions.
  const entry =
    own ?? (options.earlierSessions ? findAnywhere(scratchpadRoots(process.env), asked.name) : undefined)
  if (!entry)
    return errorResult(say.unknownNameText(asked.name, scratchpad?.entries().map(({ name }) => name) ?? []))
  if (asked.grep !== undefined) return grep(entry, asked, asked.grep, maxChars)
  if (await isBinary(entry.path)) return errorResult(say.binaryEntryText(entry.name, entry.bytes, entry.path))
  return readRange(entry, asked, maxChars, !own)
}

async function readRange(
  { path, changedMs }: ScratchpadEntry,
  { unit, offset = 0, limit = Number.MAX_SAFE_INTEGER }: ReadArguments,
  maxChars: number,
  isEarlier: boolean,
): Promise<CallToolResult> {
  const read = unit === 'lines' ? readLines : readBytes
  const part = await read(path, { offset: clamped(offset), limit: clamped(limit) }, maxChars)
  return textResult(withLine(part.text, say.rangeLine(unit, part, isEarlier ? changedMs : undefined)))
}

/** JSON allows whole numbers beyond any file position. */
function clamped(number: number): number {
  return Math.max(-Number.MAX_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, number))
}

async function grep(
  { path }: ScratchpadEntry,
  { offset, limit, context, ignore_case }: ReadArguments,
  source: string,
  maxChars: number,
): Promise<CallToolResult> {
  if (offset !== undefined || limit !== undefined) return errorResult(say.rangeAndPattern)
  // Imported late: few clients search for a pattern.
  const { compilePattern } = await import('./pattern.ts')
  const pattern = compilePattern(source, ignore_case)
  if ('reason' in pattern) return errorResult(say.badPatternText(pattern.reason))
  const outcome = await grepEntry(path, { pattern, context, maxChars, timeoutMs: grepTimeoutMs })
  if (outcome.kind === 'too-slow') return errorResult(say.slowPatternText(outcome.afterMs))
  return textResult(withLine(outcome.text, say.grepLine(source, ignore_case, outcome.matches, outcome.shown)))
}
