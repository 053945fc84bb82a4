import type { JSONRPCMessage } from './sdk.ts'

/** The requests of a client that have no answer yet. */
export class Unanswered {
  readonly #ids = new Set<unknown>()
  #tookMs = performance.now()
  #settled: (() => void)[] = []

  /** A message of the client. A request that it cancels gets no answer, and a subscription ends with the connection. */
  took({ method, id, params }: Readonly<Record<string, unknown>>): void {
    this.#tookMs = performance.now()
    if (method === 'notifications/cancelled') this.#settle(Object(params).requestId)
    else if (method !== undefined && id !== undefined && method !== 'subscriptions/listen') this.#ids.add(id)
  }

  /** Milliseconds since the client's last message. */
  get quietMs(): number {
    return performance.now() - this.#tookMs
  }

  sent(message: JSONRPCMessage): void {
    if (!('method' in message)) this.#settle(message.id)
  }

  /** Resolves when every request has been answered. */
  async none(): Promise<void> {
    if (this.#ids.size > 0) await new Promise<void>((resolve) => this.#settled.push(resolve))
  }

  #settle(id: unknown): void {
    this.#ids.delete(id)
    if (this.#ids.size === 0) for (const resolve of this.#settled.splice(0)) resolve()
  }
}
