import { bytesText, withLine } from '../base/text.ts'
import { findAnywhere, type ScratchpadEntry, scratchpadRoots } from '../internal.ts'
import { entryLine } from '../messages/scratchpad.ts'
import { errorResult, textResult } from './execute.ts'
import { grepEntry } from './grep.ts'
import { isBinary, type Part, readBytes, readLines } from './read.ts'
import type { ReadArguments } from './schemas.ts'
import type { CallToolResult } from './sdk.ts'
import type { McpSession } from './session.ts'

export function listScratchpad({ scratchpad }: McpSession): CallToolResult {
  const entries = scratchpad?.entries() ?? []
  return textResult(
    entries.length === 0 ? 'This session has no saved outputs.' : entries.map(entryLine).join('\n'),
  )
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
  if (!entry) {
    const names = scratchpad?.entries().map(({ name }) => name) ?? []
    const list = names.length === 0 ? 'It has no saved outputs' : `Saved: ${names.join(', ')}`
    return errorResult(`This session has no saved output named ${JSON.stringify(asked.name)}. ${list}.`)
  }
  if (asked.grep !== undefined) return grep(entry, asked, asked.grep, maxChars)
  if (await isBinary(entry.path))
    return errorResult(
      `Scratchpad "${entry.name}" is binary (${bytesText(entry.bytes)}) and not shown as text. Inspect the file with a program, for example: xxd ${entry.path} | head`,
    )
  return readRange(entry, asked, maxChars, !own)
}

async function readRange(
  { path, changedMs }: ScratchpadEntry,
  { unit, offset = 0, limit = Number.MAX_SAFE_INTEGER }: ReadArguments,
  maxChars: number,
  isEarlier: boolean,
): Promise<CallToolResult> {
  const read = unit === 'lines' ? readLines : readBytes
  const part = await read(path, { offset, limit }, maxChars)
  return textResult(withLine(part.text, rangeLine(unit, part, isEarlier ? changedMs : undefined)))
}

async function grep(
  { path }: ScratchpadEntry,
  { offset, limit, context, ignore_case: ignoreCase }: ReadArguments,
  source: string,
  maxChars: number,
): Promise<CallToolResult> {
  if (offset !== undefined || limit !== undefined)
    return errorResult('Use either grep, or offset and limit, not both.')
  const found = await grepEntry(path, { source, ignoreCase, context, maxChars })
  return 'refusal' in found ? errorResult(found.refusal) : textResult(found.text)
}

function rangeLine(
  unit: 'lines' | 'bytes',
  { from, to, total, cut }: Part,
  earlierMs?: number | undefined,
): string {
  if (from > total) return `[no ${unit} in this range; ${total} ${unit} in total]`
  const more = to < total ? `; next: offset ${to}` : ''
  const broken = cut && unit === 'lines' ? `; line ${to} is cut off: read it with unit "bytes"` : ''
  const earlier =
    earlierMs === undefined ? '' : `; saved by an earlier session on ${new Date(earlierMs).toISOString()}`
  return `[${unit} ${from} to ${to} of ${total}${more}${broken}${earlier}]`
}
