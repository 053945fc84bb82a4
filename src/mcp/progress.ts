import { progressText, waitingText } from '../messages/mcp/mcp.ts'
import type { ServerContext } from './sdk.ts'

const everyMs = 500

/** Reports the progress of a call, if the client asked for it. */
export class Progress {
  #context: ServerContext
  #timer: NodeJS.Timeout | undefined
  readonly #ahead: () => number
  readonly #called = performance.now()
  #started: number | undefined
  #bytes = 0

  constructor(context: ServerContext, ahead: () => number) {
    this.#context = context
    this.#ahead = ahead
    this.follow(context)
  }

  /** A further request waits for the same work. */
  follow(context: ServerContext): void {
    this.end()
    this.#context = context
    if (context.mcpReq._meta?.progressToken !== undefined)
      this.#timer = setInterval(() => this.#tell(), everyMs)
  }

  start(): void {
    this.#started = performance.now()
  }

  wrote(bytes: number): void {
    this.#bytes += bytes
  }

  end(): void {
    clearInterval(this.#timer)
  }

  /** `progress` must grow each time (MCP, utilities/progress): it is the seconds since the call. */
  #tell(): void {
    const now = performance.now()
    const message =
      this.#started === undefined
        ? waitingText(this.#ahead())
        : progressText(now - this.#started, this.#bytes)
    const params = {
      progressToken: this.#context.mcpReq._meta?.progressToken ?? '',
      progress: (now - this.#called) / 1000,
      message,
    }
    this.#context.mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {
      // The connection is gone; its signal ends the call.
    })
  }
}
