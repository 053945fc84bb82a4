import { isUtf8 } from 'node:buffer'
import { readFile } from 'node:fs/promises'
import { bytesText, withLine } from '../base/text.ts'
import { findAnywhere, type ScratchpadEntry, scratchpadRoots } from '../internal.ts'
import { entryLine } from '../messages/scratchpad.ts'
import { errorResult, textResult } from './execute.ts'
import { grepEntry } from './grep.ts'
import { isBinary, type Part, readBytes, readLines } from './read.ts'
import type { ReadArguments } from './schemas.ts'
import {
  type CallToolResult,
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  ResourceTemplate,
} from './sdk.ts'
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

/** A resource is sent in one message; clients accept about 10 MB. */
const maxResourceBytes = 4 * 1024 * 1024

/** Offers the outputs saved in this session as `scratchpad://SESSION/NAME`. */
export function registerResources(server: McpServer, session: McpSession): void {
  const template = new ResourceTemplate('scratchpad://{session}/{name}', {
    list: () => ({ resources: (session.scratchpad?.entries() ?? []).map(describe) }),
  })
  server.registerResource('scratchpad', template, { title: 'Saved output' }, (uri, { session: of, name }) =>
    read(session, uri.href, String(of), String(name)),
  )
}

function describe(entry: ScratchpadEntry) {
  return {
    uri: `scratchpad://${entry.session}/${entry.name}`,
    name: entry.name,
    description: entryLine(entry),
    size: entry.bytes,
    mimeType: entry.metadata?.binary === true ? 'application/octet-stream' : 'text/plain',
  }
}

async function read(
  { scratchpad }: McpSession,
  uri: string,
  of: string,
  name: string,
): Promise<ReadResourceResult> {
  const entry = scratchpad?.session === of ? scratchpad.find(name) : undefined
  if (!entry) throw unreadable(uri, 'This session has no saved output at this address.')
  if (entry.bytes > maxResourceBytes)
    throw unreadable(
      uri,
      `This resource has ${entry.bytes} bytes; at most ${maxResourceBytes} can be sent at once. Read it in parts with the tool read_scratchpad.`,
    )
  const bytes = await readFile(entry.path)
  const content = isUtf8(bytes)
    ? { mimeType: 'text/plain', text: bytes.toString('utf8') }
    : { mimeType: 'application/octet-stream', blob: bytes.toString('base64') }
  return { contents: [{ uri, ...content }] }
}

function unreadable(uri: string, message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message, { uri })
}
