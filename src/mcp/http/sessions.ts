import { randomUUID } from 'node:crypto'
import { type McpServer, WebStandardStreamableHTTPServerTransport } from '../sdk.ts'
import type { McpSession } from '../session.ts'

/** Why a session ended. `room`: for another one. `drain`: its server ends. */
export type Ended = 'client' | 'idle' | 'room' | 'drain'

/** A client of a protocol before 2026-07-28: it has a session, and so shells of its own. */
interface Client {
  readonly session: McpSession
  /** The name of its token: no other one continues the session. */
  readonly token: string
  readonly transport: WebStandardStreamableHTTPServerTransport
  readonly beganMs: number
}

interface SessionsOptions {
  readonly most: number
  readonly idleMs: number
  /** Session ids begin with it. */
  readonly instance: string
  readonly makeSession: (token: string) => McpSession
  readonly makeServer: (session: McpSession) => Promise<McpServer>
  readonly ended: (client: Client, id: string, why: Ended) => void
}

/** The sessions of such clients, by the session id in their requests. */
export class HttpSessions {
  readonly #options: SessionsOptions
  readonly #clients = new Map<string, Client>()
  readonly #sweep: NodeJS.Timeout
  /** Clients whose first request is being answered; not yet in the map. */
  #beginning = 0
  #closed = false

  constructor(options: SessionsOptions) {
    this.#options = options
    this.#sweep = setInterval(() => this.#closeIdle(), Math.max(50, Math.min(30_000, options.idleMs / 2)))
    this.#sweep.unref()
  }

  get size(): number {
    return this.#clients.size
  }

  /** Commands in the background. */
  get background(): number {
    return [...this.#clients.values()].reduce((sum, { session }) => sum + session.background.running, 0)
  }

  get isBusy(): boolean {
    return [...this.#clients.values()].some(({ session }) => session.isBusy)
  }

  /** `token`: the name of the one that the request carries. */
  async handle(request: Request, token: string): Promise<Response> {
    const id = request.headers.get('mcp-session-id')
    const client = this.#clients.get(id ?? '')
    if (client?.token === token) return this.#pass(client, request)
    // 404 tells a client to start a new session (MCP 2025-11-25, Session Management).
    if (id !== null)
      return errorResponse(
        404,
        'Session not found: it has ended. Nothing ran. Initialize a new one and retry.',
      )
    if (this.#closed) return ending()
    if (this.#clients.size + this.#beginning >= this.#options.most && !this.#closeLongestIdle())
      return errorResponse(503, 'Too many sessions ([http] sessions). Retry later.', { 'retry-after': '5' })
    this.#beginning++
    return this.#begin(request, token).finally(() => this.#beginning--)
  }

  /** Ends what runs. The answers can still be delivered, until `close()`. */
  async end(): Promise<void> {
    this.#closed = true
    await Promise.all([...this.#clients.values()].map(({ session }) => session.close({ ending: true })))
  }

  async close(): Promise<void> {
    this.#closed = true
    clearInterval(this.#sweep)
    await Promise.all([...this.#clients.keys()].map((id) => this.#close(id, 'drain')))
  }

  async #begin(request: Request, token: string): Promise<Response> {
    const { instance, makeSession, makeServer } = this.#options
    const session = makeSession(token)
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => (instance === '' ? randomUUID() : `${instance}.${randomUUID()}`),
      onsessioninitialized: (id) => {
        this.#clients.set(id, client)
      },
      onsessionclosed: (id) => this.#close(id, 'client'),
    })
    const client: Client = { session, token, transport, beganMs: Date.now() }
    try {
      const server = await makeServer(session)
      await server.connect(transport)
      const response = await this.#pass(client, request)
      if (!this.#closed || transport.sessionId === undefined) return response
      // `close()` has ended all others meanwhile.
      await this.#close(transport.sessionId, 'drain')
      return ending()
    } finally {
      // It failed, or was not an initialize request: no client will use this session.
      if (transport.sessionId === undefined) await session.close()
    }
  }

  async #pass(client: Client, request: Request): Promise<Response> {
    client.session.touch()
    return client.transport.handleRequest(request)
  }

  async #close(id: string, why: Ended): Promise<void> {
    const client = this.#clients.get(id)
    if (!client) return
    this.#clients.delete(id)
    this.#options.ended(client, id, why)
    await client.session.close()
    await client.transport.close()
  }

  /** Makes room for another client. False if every session is in use; a command in the background alone is no use. */
  #closeLongestIdle(): boolean {
    // One that has just been used is that of a client that comes back.
    const before = Date.now() - Math.min(60_000, this.#options.idleMs / 10)
    const idle = [...this.#clients].filter(
      ([, { session }]) => !session.isAnswering && session.usedMs < before,
    )
    const [longest] = idle.sort(([, a], [, b]) => a.session.usedMs - b.session.usedMs)
    if (longest) void this.#close(longest[0], 'room')
    return longest !== undefined
  }

  #closeIdle(): void {
    const before = Date.now() - this.#options.idleMs
    for (const [id, { session }] of this.#clients)
      if (session.usedMs < before && !session.isBusy) void this.#close(id, 'idle')
  }
}

/** The answer of a server that takes no more calls. */
export function ending(): Response {
  return errorResponse(503, 'The server is shutting down. Nothing ran. Retry.', {
    connection: 'close',
    'retry-after': '1',
  })
}

/** An error outside any JSON-RPC call. */
export function errorResponse(
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const body = { jsonrpc: '2.0', error: { code: -32_000, message }, id: null }
  return Response.json(body, { status, headers: { ...headers } })
}
