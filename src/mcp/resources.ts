import { isUtf8 } from 'node:buffer'
import { readFile } from 'node:fs/promises'
import type { ScratchpadEntry } from '../internal.ts'
import { toolTitles } from '../messages/mcp/mcp.ts'
import { noSuchResource, tooLargeText } from '../messages/mcp/scratchpad.ts'
import { entryLine } from '../messages/scratchpad.ts'
import {
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  ResourceTemplate,
} from './sdk.ts'
import type { McpSession } from './session.ts'

/** A resource is sent in one message; clients accept about 10 MB. */
const maxResourceBytes = 4 * 1024 * 1024

/** Offers the outputs saved in this session as `scratchpad://SESSION/NAME`. */
export function registerResources(server: McpServer, session: McpSession): void {
  const template = new ResourceTemplate('scratchpad://{session}/{name}', {
    list: () => ({ resources: (session.scratchpad?.entries() ?? []).map(describe) }),
  })
  server.registerResource(
    'scratchpad',
    template,
    { title: toolTitles.resource },
    (uri, { session: of, name }) => read(session, uri.href, String(of), String(name)),
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
  if (!entry) throw new ProtocolError(ProtocolErrorCode.InvalidParams, noSuchResource, { uri })
  if (entry.bytes > maxResourceBytes)
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, tooLargeText(entry.bytes, maxResourceBytes))
  const bytes = await readFile(entry.path)
  const content = isUtf8(bytes)
    ? { mimeType: 'text/plain', text: bytes.toString('utf8') }
    : { mimeType: 'application/octet-stream', blob: bytes.toString('base64') }
  return { contents: [{ uri, ...content }] }
}
