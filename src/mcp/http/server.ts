import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { errorCode, errorText, tried } from '../../base/errno.ts'
import { Turns } from '../../base/turns.ts'
import type { Config, LinesRun } from '../../internal.ts'
import type { Watch, WatchedCall } from '../execute.ts'
import { createMcpHandler, isLegacyRequest, type McpHttpHandler } from '../sdk.ts'
import { makeServer, troubleLine } from '../server.ts'
import type { McpSession } from '../session.ts'
import { Access, type HttpToken } from './access.ts'
import { Metrics } from './metrics.ts'
import { ending, errorResponse, HttpSessions } from './sessions.ts'
import { sendResponse, webRequest } from './web.ts'

/** Milliseconds in which the answers to the last calls must have been delivered when a server ends. */
const answerMs = 1000

export interface HttpOptions {
  readonly host: string
  /** 0: any free port. */
  readonly port: number
  readonly tokens: readonly HttpToken[]
  readonly settings: Omit<Config['http'], 'tokens'>
  readonly makeSession: (token: string) => McpSession
  readonly brokenGraceMs?: number | undefined
  /** Makes spans of the calls. */
  readonly tracing?: Watch | undefined
  /** Writes a line for people. */
  readonly log: (line: string) => void
  /** Writes a line for programs: the end of a session, a refusal. */
  readonly report: (event: Readonly<Record<string, unknown>>) => void
}

/** Listens. Rejects if the address is not available. */
export async function serveOnHttp(options: HttpOptions): Promise<HttpService> {
  const server = createServer()
  await once(server.listen({ host: options.host, port: options.port }), 'listening')
  return new HttpService(server, options)
}

/** What clients of MCP 2026-07-28 share, which have no session. */
interface Shared {
  readonly session: McpSession
  readonly handler: McpHttpHandler
}

class HttpService {
  readonly url: string
  readonly #server: Server
  readonly #options: HttpOptions
  readonly #access: Access
  readonly #sessions: HttpSessions
  readonly #turns: Turns
  readonly #metrics: Metrics
  /** By the name of the token. */
  readonly #shared = new Map<string, Shared>()
  #draining = false
  /** Requests whose answers are not delivered yet. */
  #answering = 0
  #drainUntil = 0
  #notReady: string | undefined

  constructor(server: Server, options: HttpOptions) {
    const { settings, makeSession } = options
    const { address, port, family } = server.address() as AddressInfo
    this.url = `http://${family === 'IPv6' ? `[${address}]` : address}:${port}/mcp`
    this.#server = server.on('request', (request, response) => {
      this.#answer(request, response).catch((error) => {
        options.log(errorText(error))
        response.destroy()
      })
    })
    this.#turns = new Turns(settings.turns, { more: settings.turns })
    this.#options = options
    // The address in place of the given name: 127.1 is loopback, too.
    this.#access = new Access(options, address)
    this.#sessions = new HttpSessions({
      most: settings.sessions,
      idleMs: settings.idle_ms,
      instance: settings.instance,
      makeSession,
      makeServer: (session) => makeServer(this.#connection(session, true)),
      ended: ({ session, token, beganMs }, id, ended) => {
        this.#metrics.sessionEnded(ended)
        const seconds = (Date.now() - beganMs) / 1000
        this.#report('session', { session: shortId(id), token, seconds, calls: session.calls, ended })
      },
    })
    this.#metrics = new Metrics({
      sessions: () => this.#sessions.size,
      running: () => this.#turns.running,
      background: () => this.#sessions.background,
      waiting: () => this.#turns.waiting,
    })
  }

  /** Lets running commands end for `drain_ms`, with 503 for further calls; then ends them and answers their calls. */
  async close(): Promise<void> {
    this.#draining = true
    this.#drainUntil = Date.now() + this.#options.settings.drain_ms
    const shared = [...this.#shared.values()]
    const isBusy = () => this.#sessions.isBusy || shared.some(({ session }) => session.isBusy)
    while (isBusy() && Date.now() < this.#drainUntil) await new Promise((resolve) => setTimeout(resolve, 20))
    await Promise.all([...shared.map(({ session }) => session.close({ ending: true })), this.#sessions.end()])
    const answeredUntil = Date.now() + answerMs
    while (this.#answering > 0 && Date.now() < answeredUntil)
      await new Promise((resolve) => setTimeout(resolve, 5))
    await Promise.all([...shared.map(({ handler }) => handler.close()), this.#sessions.close()])
    // Only now: until then the listener tells clients, and what watches its health, that the server ends.
    const closed = new Promise((resolve) => this.#server.close(resolve))
    this.#server.closeAllConnections()
    await closed
  }

  hurry(): void {
    this.#drainUntil = 0
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
    if (response.status >= 400) await this.#reportRefused(incoming, response.clone())
    await sendResponse(response, outgoing)
  }

  async #respond(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url)
    // Both need no token: they only reveal that the server is up.
    if (pathname === '/healthz') return Response.json({ status: this.#draining ? 'draining' : 'ok' })
    if (pathname === '/readyz') return this.#readiness()
    if (pathname === '/metrics' && this.#access.tokenOf(request)) return this.#metrics.response()
    const token = this.#access.admit(request, pathname)
    if ('status' in token) return token
    if (this.#draining && !(await isFollowUp(request))) return ending()
    if (await isLegacyRequest(request)) return this.#sessions.handle(request, token.name)
    return this.#sharedOf(token.name).handler.fetch(request)
  }

  /** Whether it takes calls, and their commands can run. */
  async #readiness(): Promise<Response> {
    if (this.#draining) return Response.json({ status: 'draining' }, { status: 503 })
    const token = this.#options.tokens.find(({ runsCommands }) => runsCommands)
    const why = token && (await whyNoShell(this.#sharedOf(token.name).session))
    if (why !== undefined && why !== this.#notReady) this.#options.log(why)
    this.#notReady = why
    return why === undefined
      ? Response.json({ status: 'ready' })
      : Response.json({ status: 'not ready' }, { status: 503 }) // why: only in the log, for it may name paths
  }

  #sharedOf(token: string): Shared {
    const known = this.#shared.get(token)
    if (known) return known
    const session = this.#options.makeSession(token)
    const handler = createMcpHandler(() => makeServer(this.#connection(session, false)), {
      legacy: 'reject',
      onerror: (error) => this.#options.log(troubleLine(error)),
    })
    const shared = { session, handler }
    this.#shared.set(token, shared)
    return shared
  }

  #connection(session: McpSession, hasSession: boolean) {
    const { brokenGraceMs } = this.#options
    return { session, turns: this.#turns, hasSession, brokenGraceMs, watch: this.#watch }
  }

  readonly #watch: Watch = (call, run) =>
    this.#measure(call, () => this.#options.tracing?.(call, run) ?? run())

  async #measure({ mode, context }: WatchedCall, run: () => Promise<LinesRun>): Promise<LinesRun> {
    try {
      const ran = await run()
      for (const result of ran.results) this.#metrics.ran(mode, result)
      return ran
    } catch (error) {
      const code = errorCode(error) ?? 'error'
      this.#metrics.notRun(mode, code)
      this.#report('refused', { session: shortId(context.sessionId), mode, code })
      throw error
    }
  }

  async #reportRefused({ url, headers, socket }: IncomingMessage, response: Response): Promise<void> {
    if (url === '/readyz') return
    const { status } = response
    this.#metrics.refused(status)
    const answer: unknown = await response.json().catch(() => undefined)
    const why: unknown = Object(Object(answer).error).message
    const session = shortId(headers['mcp-session-id']?.toString())
    this.#report('refused', { session, status, why, from: socket.remoteAddress })
  }

  #report(event: string, facts: Readonly<Record<string, unknown>>): void {
    const instance = this.#options.settings.instance || undefined
    this.#options.report({ at: new Date().toISOString(), event, instance, ...facts })
  }
}

/** Enough to find lines of one session; the rest stays secret. What is no id is not repeated: anyone can send it. */
function shortId(id: string | undefined): string | undefined {
  return /^([A-Za-z0-9-]{1,63}\.)?[0-9a-f]{8}(?=-)/.exec(id ?? '')?.[0]
}

async function whyNoShell(session: McpSession): Promise<string | undefined> {
  try {
    const { modes, sandboxOff } = await session.served()
    if (modes[0] === undefined) return `not ready: [shell] sandbox = false (${sandboxOff}) leaves no mode`
    await session.shell(modes[0])
    return undefined
  } catch (error) {
    return `not ready: ${errorText(error)}`
  }
}

/** Whether a request cancels, answers or listens to what runs already. */
async function isFollowUp(request: Request): Promise<boolean> {
  if (request.method !== 'POST') return true
  const body: unknown = await request
    .clone()
    .json()
    .catch(() => ({ id: null, method: '' }))
  return [body].flat().every((message) => {
    const { id, method, params } = Object(message)
    return id === undefined || method === undefined || Object(params).inputResponses !== undefined
  })
}
