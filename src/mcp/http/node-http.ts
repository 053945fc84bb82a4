import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'

/** A request of node:http as the web's, which the SDK takes. The signal aborts when the client goes. */
export function webRequest(request: IncomingMessage, signal: AbortSignal): Request {
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headers))
    for (const one of [value ?? []].flat()) headers.append(name, one)
  const method = request.method ?? 'GET'
  const url = new URL(request.url ?? '/', 'http://localhost')
  const body = method === 'GET' || method === 'HEAD' ? null : Readable.toWeb(request)
  // `duplex` is what fetch wants of a body that is a stream; the types of Node 20 lack it.
  return new Request(url, { method, headers, signal, body, duplex: 'half' } as RequestInit)
}

/** Sends a response of the web's: a stream as it comes. */
export async function sendResponse(response: Response, to: ServerResponse): Promise<void> {
  to.writeHead(response.status, Object.fromEntries(response.headers))
  to.flushHeaders()
  const reader = response.body?.getReader()
  try {
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
      if (to.destroyed) break
      if (!to.write(part.value)) await Promise.race([once(to, 'drain'), once(to, 'close')])
    }
  } finally {
    await reader?.cancel()
  }
  to.end()
}
