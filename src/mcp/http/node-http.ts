import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { finished, Readable } from 'node:stream'

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
export async function sendResponse(response: Response, to: ServerResponse): Promise<void> {
  to.writeHead(response.status, Object.fromEntries(response.headers))
  to.flushHeaders()
  const reader = response.body?.getReader()
  const gone = new Promise<void>((resolve) => finished(to, () => resolve()))
  // A stream that says nothing would otherwise keep its place in the session.
  void gone.then(() => reader?.cancel()).catch(() => {})
  try {
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
      if (to.destroyed) break
      if (!to.write(part.value)) await Promise.race([once(to, 'drain'), gone])
    }
  } finally {
    await reader?.cancel()
  }
  to.end()
}
