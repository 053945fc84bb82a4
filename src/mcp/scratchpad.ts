import { isUtf8 } from 'node:buffer'
import { readFile } from 'node:fs/promises'
import { errorText } from '../base/errno.ts'
import { bytesText, withLine } from '../base/text.ts'
import {
  findAnywhere,
  grepEntry,
  isBinary,
  type LinePattern,
  readBytes,
  readLines,
  type ScratchpadEntry,
  scratchpadRoots,
} from '../internal.ts'
import { entryLine } from '../messages/scratchpad.ts'
import { errorResult, textResult } from './execute.ts'
import {
  type CallToolResult,
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  ResourceTemplate,
} from './sdk.ts'
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
  const part = await read(path, { offset: clamped(offset), limit: clamped(limit) }, maxChars)
  return textResult(withLine(part.text, rangeLine(unit, part, isEarlier ? changedMs : undefined)))
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
  if (offset !== undefined || limit !== undefined)
    return errorResult('Use either grep, or offset and limit, not both.')
  const pattern = await compilePattern(source, ignore_case)
  if ('reason' in pattern)
    return errorResult(
      `grep takes RE2 syntax, without lookaround and backreferences; ${pattern.reason}. Escape special characters (\\. \\( \\[ \\*).`,
    )
  const outcome = await grepEntry(path, { pattern, context, maxChars, timeoutMs: grepTimeoutMs })
  if (outcome.kind === 'too-slow')
    return errorResult(
      `The search exceeded ${outcome.afterMs} ms. Use a simpler pattern, or read a range with offset and limit.`,
    )
  return textResult(withLine(outcome.text, grepLine(source, ignore_case, outcome.matches, outcome.shown)))
}

function rangeLine(
  unit: 'lines' | 'bytes',
  part: { readonly from: number; readonly to: number; readonly total: number; readonly cut: boolean },
  earlierMs?: number | undefined,
): string {
  const { from, to, total, cut } = part
  if (to < from) return `[no ${unit} in this range; ${total} ${unit} in total]`
  const more = to < total ? `; next: offset ${to}` : ''
  const broken = cut && unit === 'lines' ? `; line ${to} is cut off: read it with unit "bytes"` : ''
  const earlier =
    earlierMs === undefined ? '' : `; saved by an earlier session on ${new Date(earlierMs).toISOString()}`
  return `[${unit} ${from} to ${to} of ${total}${more}${broken}${earlier}]`
}

export function grepLine(source: string, ignoreCase: boolean, matches: number, shown: number): string {
  const pattern = `/${source}/${ignoreCase ? 'i' : ''}`
  if (matches === 0) return `[no line matches ${pattern}]`
  const lines = `${matches} ${matches === 1 ? 'line matches' : 'lines match'} ${pattern}`
  return shown < matches ? `[${lines}; the first ${shown} are shown; narrow the pattern]` : `[${lines}]`
}

const maxSourceLength = 1000
/** Instructions of the compiled pattern: `error|warn|fatal` has 18. */
const maxInstructions = 1000
/** Instructions times characters of one test: at most 0.2 s, during which the server does nothing else. */
const maxSteps = 4_000_000

/** RE2 syntax, which matches in linear time. `reason`: why the pattern is refused. */
export async function compilePattern(
  source: string,
  ignoreCase: boolean,
): Promise<LinePattern | { readonly reason: string }> {
  if (source.length > maxSourceLength)
    return { reason: `this pattern is longer than ${maxSourceLength} characters` }
  // Imported late: few clients search for a pattern.
  const { RE2JS } = await import('re2js')
  try {
    const compiled = RE2JS.compile(source, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0)
    const size = compiled.programSize()
    if (size > maxInstructions)
      return { reason: 'this pattern repeats too much (a{1000} inside another repetition)' }
    return { test: (text) => compiled.test(text), longest: Math.floor(maxSteps / size) }
  } catch (error) {
    return { reason: errorText(error) }
  }
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
  if (!entry)
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      'This session has no saved output at this address.',
      { uri },
    )
  if (entry.bytes > maxResourceBytes)
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      `This resource has ${entry.bytes} bytes; at most ${maxResourceBytes} can be sent at once. Read it in parts with the tool read_scratchpad.`,
    )
  const bytes = await readFile(entry.path)
  const content = isUtf8(bytes)
    ? { mimeType: 'text/plain', text: bytes.toString('utf8') }
    : { mimeType: 'application/octet-stream', blob: bytes.toString('base64') }
  return { contents: [{ uri, ...content }] }
}
