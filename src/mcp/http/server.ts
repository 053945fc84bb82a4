import { createHash, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import { errorText, tried } from '../../base/errno.ts'
import { Turns } from '../../base/turns.ts'
import {
  createMcpHandler,
  hostHeaderValidationResponse,
  isLegacyRequest,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  type McpHttpHandler,
  originValidationResponse,
} from '../sdk.ts'
import { makeServer, maxAtOnce, troubleLine } from '../server.ts'
import type { McpSession } from '../session.ts'
import { ending, errorResponse, HttpSessions } from './sessions.ts'

/** Milliseconds without a request after which an HTTP session is closed. */
const idleMs = 30 * 60_000
/** Milliseconds that commands may run on after the server is told to end. */
const drainMs = 10_000
/** Milliseconds in which the answers to the last calls must have been delivered when a server ends. */
const answerMs = 1000

export interface HttpOptions {
  readonly host: string
  /** 0: any free port. */
  readonly port: number
  readonly token: string
  readonly makeSession: () => McpSession
  readonly idleMs?: number | undefined
  readonly drainMs?: number | undefined
  readonly brokenGraceMs?: number | undefined
  readonly log: (line: string) => void
}

/** Whether only this machine can connect. */
export function isLoopback(host: string): boolean {
  return /^(localhost|::1|(::ffff:)?127(\.\d{1,3}){3})$/i.test(host)
}

/** Listens. Rejects if the address is not available. */
export async function serveOnHttp(options: HttpOptions): Promise<HttpService> {
  const server = createServer()
  await once(server.listen({ host: options.host, port: options.port }), 'listening')
  return new HttpService(server, options)
}

/** What clients of this machine call it: the usual names, the one that was given (`/etc/hosts`), and its address. */
function localNames(...hosts: readonly string[]): string[] {
  const urls = hosts.map((host) => (host.includes(':') ? `http://[${host}]` : `http://${host}`))
  return [...localhostAllowedHostnames(), ...urls.flatMap((url) => tried(() => new URL(url).hostname) ?? [])]
}

class HttpService {
  readonly url: string
  readonly #server: Server
  readonly #options: HttpOptions
  /** Undefined: any name, for it is not on loopback. */
  readonly #names: string[] | undefined
  readonly #sessions: HttpSessions
  readonly #modern: McpHttpHandler
  /** Clients of MCP 2026-07-28 have no session and share this one. */
  readonly #shared: McpSession
  #draining = false
  /** Requests whose answers are not delivered yet. */
  #answering = 0
  #drainUntil = 0

  constructor(server: Server, options: HttpOptions) {
    const { brokenGraceMs } = options
    const { address, port, family } = server.address() as AddressInfo
    this.url = `http://${family === 'IPv6' ? `[${address}]` : address}:${port}/mcp`
    this.#server = server.on('request', (request, response) => {
      this.#answer(request, response).catch((error) => {
        options.log(errorText(error))
        response.destroy()
      })
    })
    const turns = new Turns(maxAtOnce, { more: maxAtOnce })
    this.#options = options
    // The address in place of the given name: 127.1 is loopback, too.
    this.#names = isLoopback(address) ? localNames(options.host, address) : undefined
    this.#shared = options.makeSession()
    this.#sessions = new HttpSessions({
      idleMs: options.idleMs ?? idleMs,
      makeSession: options.makeSession,
      makeServer: (session) => makeServer({ session, turns, hasSession: true, brokenGraceMs }),
    })
    const shared = {
      session: this.#shared,
      turns,
      hasSession: false,
      brokenGraceMs,
    }
    this.#modern = createMcpHandler(() => makeServer(shared), {
      legacy: 'reject',
      onerror: (error) => options.log(troubleLine(error)),
    })
  }

  async #answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const gone = new AbortController()
    const isCall = incoming.method === 'POST'
    if (isCall) this.#answering++
    outgoing.once('close', () => {
      gone.abort()
      if (isCall) this.#answering--
    })
    // A web Request takes neither a target that is no URL nor every method (TRACE).
    const request = tried(() => webRequest(incoming, gone.signal))
    const response = request
      ? await this.#respond(request)
      : errorResponse(400, 'The method or the address is not valid')
    await sendResponse(response, outgoing)
  }

  /** Answers further requests with 503, gives running commands `drainMs` to end, then kills them and answers their calls. */
  async close(): Promise<void> {
    this.#draining = true
    this.#drainUntil = Date.now() + (this.#options.drainMs ?? drainMs)
    while ((this.#shared.isBusy || this.#sessions.isBusy) && Date.now() < this.#drainUntil)
      await new Promise((resolve) => setTimeout(resolve, 20))
    await Promise.all([this.#shared.close({ ending: true }), this.#sessions.end()])
    const answeredUntil = Date.now() + answerMs
    while (this.#answering > 0 && Date.now() < answeredUntil)
      await new Promise((resolve) => setTimeout(resolve, 5))
    await Promise.all([this.#modern.close(), this.#sessions.close()])
    // Only now: until then the listener tells clients, and what watches its health, that the server ends.
    const closed = new Promise((resolve) => this.#server.close(resolve))
    this.#server.closeAllConnections()
    await closed
  }

  hurry(): void {
    this.#drainUntil = 0
  }

  async #respond(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url)
    if (pathname === '/healthz') return this.#health()
    const refused = this.#refusal(request, pathname)
    if (refused) return refused
    if (await isLegacyRequest(request)) return this.#sessions.handle(request)
    return this.#modern.fetch(request)
  }

  /** Needs no token: it only reveals that the server is up. */
  #health(): Response {
    const status = this.#draining ? 'draining' : 'ok'
    return Response.json({ status }, { status: this.#draining ? 503 : 200 })
  }

  #refusal(request: Request, pathname: string): Response | undefined {
    if (this.#draining) return ending()
    const { token } = this.#options
    // DNS rebinding reaches a server on loopback. Elsewhere host names vary, and the token decides.
    const rebound = this.#names && hostHeaderValidationResponse(request, this.#names)
    const refused = rebound ?? originValidationResponse(request, localhostAllowedOrigins())
    if (refused) return refused
    if (!carriesToken(request.headers.get('authorization') ?? undefined, token))
      return errorResponse(401, 'A bearer token is required', { 'www-authenticate': 'Bearer' })
    return pathname === '/mcp' || pathname === '/' ? undefined : errorResponse(404, 'The endpoint is /mcp')
  }
}

/** Whether a request carries the token, compared in constant time. */
function carriesToken(authorization: string | undefined, token: string): boolean {
  const [, given] = /^Bearer +(\S+) *$/i.exec(authorization ?? '') ?? []
  // Hashed first: timingSafeEqual requires equal lengths, and the length is secret too.
  return given !== undefined && timingSafeEqual(digest(given), digest(token))
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

/** As a web Request, which the SDK takes. The signal aborts when the client disconnects. */
function webRequest(request: IncomingMessage, signal: AbortSignal): Request {
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
async function sendResponse({ status, headers, body }: Response, to: ServerResponse): Promise<void> {
  to.writeHead(status, Object.fromEntries(headers))
  to.flushHeaders()
  if (body) await pipeline(Readable.fromWeb(body as ReadableStream), to).catch(() => {})
  else to.end()
}
