import { randomUUID } from 'node:crypto'
import { type McpServer, WebStandardStreamableHTTPServerTransport } from '../sdk.ts'
import type { McpSession } from '../session.ts'

export const maxSessions = 256

/** A client of a protocol before 2026-07-28: it has a session, and so shells of its own. */
interface Client {
  readonly session: McpSession
  readonly transport: WebStandardStreamableHTTPServerTransport
}

interface SessionsOptions {
  readonly idleMs: number
  readonly makeSession: () => McpSession
  readonly makeServer: (session: McpSession) => Promise<McpServer>
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

  get isBusy(): boolean {
    return [...this.#clients.values()].some(({ session }) => session.isBusy)
  }

  async handle(request: Request): Promise<Response> {
    const id = request.headers.get('mcp-session-id')
    const client = this.#clients.get(id ?? '')
    if (client) return this.#pass(client, request)
    // 404 tells a client to start a new session (MCP 2025-11-25, Session Management).
    if (id !== null) return errorResponse(404, 'Session not found')
    if (this.#closed) return ending()
    if (this.#clients.size + this.#beginning >= maxSessions && !this.#closeLongestIdle())
      return errorResponse(503, 'Too many sessions')
    this.#beginning++
    return this.#begin(request).finally(() => this.#beginning--)
  }

  /** Ends what runs. The answers can still be delivered, until `close()`. */
  async end(): Promise<void> {
    this.#closed = true
    await Promise.all([...this.#clients.values()].map(({ session }) => session.close({ ending: true })))
  }

  async close(): Promise<void> {
    this.#closed = true
    clearInterval(this.#sweep)
    await Promise.all([...this.#clients.keys()].map((id) => this.#close(id)))
  }

  async #begin(request: Request): Promise<Response> {
    const session = this.#options.makeSession()
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => {
        this.#clients.set(id, client)
      },
      onsessionclosed: (id) => this.#close(id),
    })
    const client: Client = { session, transport }
    try {
      const server = await this.#options.makeServer(session)
      await server.connect(transport)
      const response = await this.#pass(client, request)
      if (!this.#closed || transport.sessionId === undefined) return response
      // `close()` has ended all others meanwhile.
      await this.#close(transport.sessionId)
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

  async #close(id: string): Promise<void> {
    const client = this.#clients.get(id)
    if (!client) return
    this.#clients.delete(id)
    await client.session.close()
    await client.transport.close()
  }

  /** Makes room for another client. False if every session runs a command. */
  #closeLongestIdle(): boolean {
    const idle = [...this.#clients].filter(([, { session }]) => !session.isBusy)
    const [longest] = idle.sort(([, a], [, b]) => a.session.usedMs - b.session.usedMs)
    if (longest) void this.#close(longest[0])
    return longest !== undefined
  }

  #closeIdle(): void {
    const before = Date.now() - this.#options.idleMs
    for (const [id, { session }] of this.#clients)
      if (session.usedMs < before && !session.isBusy) void this.#close(id)
  }
}

/** The answer of a server that takes no more requests. */
export function ending(): Response {
  return errorResponse(503, 'The server is shutting down', { connection: 'close' })
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
