import type { ServerContext } from './sdk.ts'

type Requested = Pick<ServerContext, 'mcpReq' | 'http'>

/**
 * Ends the work of a call: `signal` aborts with the request that waits for its answer, or `graceMs` after the
 * connection of that request breaks. In an HTTP session that cancels nothing by itself (MCP 2025-11-25,
 * Transports), and no answer can be delivered.
 */
export class CallEnd {
  readonly #end = new AbortController()
  readonly #graceMs: number
  #connected = new AbortController()
  #released = new AbortController()
  #staysOpen = true
  #timer: NodeJS.Timeout | undefined

  constructor(context: Requested, graceMs: number) {
    this.#graceMs = graceMs
    this.follow(context)
  }

  get signal(): AbortSignal {
    return this.#end.signal
  }

  /** A further request waits for the answer, instead of the one before. */
  follow({ mcpReq, http }: Requested): void {
    this.release()
    this.#connected = new AbortController()
    this.#released = new AbortController()
    this.#staysOpen = mcpReq.envelope === undefined
    const cancel = () => this.#end.abort(mcpReq.signal.reason)
    const broken = () => {
      this.#timer = setTimeout(() => this.#end.abort(), this.#graceMs)
    }
    if (mcpReq.signal.aborted) cancel()
    mcpReq.signal.addEventListener('abort', cancel, { once: true, signal: this.#released.signal })
    http?.req?.signal.addEventListener('abort', broken, { once: true, signal: this.#connected.signal })
  }

  /** The request asks a question. Since MCP 2026-07-28 that ends it, and the SDK aborts its signal when its connection closes. */
  asks(): void {
    this.#connected.abort()
    if (!this.#staysOpen) this.#released.abort()
  }

  release(): void {
    clearTimeout(this.#timer)
    this.#connected.abort()
    this.#released.abort()
  }
}
