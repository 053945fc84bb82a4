import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'

/** As a web Request, which the SDK takes. The signal aborts when the client disconnects. */
export function webRequest(request: IncomingMessage, signal: AbortSignal): Request {
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headers))
    for (const one of [value ?? []].flat()) headers.append(name, one)
  const method = request.method ?? 'GET'
  const url = new URL(request.url ?? '/', 'http://localhost')
  const body = method === 'GET' || method === 'HEAD' ? null : Readable.toWeb(request)
  // fetch requires `duplex` for a body that is a stream; the types of Node 20 lack it.
  return new Request(url, { method, headers, signal, body, duplex: 'half' } as RequestInit)
}

/** Sends a web Response; a streamed body is sent as it arrives, and cancelled at once when the client is gone. */
export async function sendResponse({ status, headers, body }: Response, to: ServerResponse): Promise<void> {
  to.writeHead(status, Object.fromEntries(headers))
  // An answer to a call has no head before it has something to say: a proxy can still tell the client that the server is gone.
  if (to.req.method === 'GET') to.flushHeaders()
  if (body) await pipeline(Readable.fromWeb(body as ReadableStream), to).catch(() => {})
  else to.end()
}
