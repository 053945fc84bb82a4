import { PassThrough } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { Turns } from '../base/turns.ts'
import { brokenGraceMs } from './execute.ts'
import { type JSONRPCMessage, StdioServerTransport, serveStdio } from './sdk.ts'
import { makeServer, maxAtOnce, troubleLine } from './server.ts'
import type { McpSession } from './session.ts'

/** Bytes of one message; a longer one ends the connection. */
const maxMessageBytes = 10 * 1024 * 1024

/** Resolves when the client is gone or a signal arrived, and everything that ran has been killed. */
export async function serveOnStdio(session: McpSession): Promise<void> {
  const turns = new Turns(maxAtOnce)
  const transport = new CountingTransport()
  const handle = serveStdio(() => makeServer({ session, turns, hasSession: true }), {
    transport,
    onerror: (error) => session.options.log(troubleLine(error)),
  })
  transport.count()
  await over(session, transport)
  // Commands first: the client is gone and wants no answers.
  await session.close()
  await handle.close()
}

/** Counts the requests of the client that have no answer yet. */
class CountingTransport extends StdioServerTransport {
  readonly #unanswered = new Set<unknown>()
  #tookMs = performance.now()
  onClose = () => {}

  readonly #input: PassThrough

  constructor() {
    // The SDK answers nothing once its input has ended, so it does not see the end.
    const input = process.stdin.pipe(new PassThrough(), { end: false })
    super(input, process.stdout, { maxBufferSize: maxMessageBytes })
    this.#input = input
    // Each answer that waits for a slow client has a listener; Node warns of a leak at the eleventh.
    process.stdout.setMaxListeners(0)
  }

  /** Once the server listens. A request that is cancelled gets no answer, and a subscription ends with the connection. */
  count(): void {
    const take = this.onmessage
    this.onmessage = (message: JSONRPCMessage) => {
      this.#tookMs = performance.now()
      if ('method' in message && message.method === 'notifications/cancelled')
        this.#unanswered.delete(message.params?.['requestId'])
      else if ('method' in message && 'id' in message && message.method !== 'subscriptions/listen')
        this.#unanswered.add(message.id)
      take?.(message)
    }
  }

  override async send(message: JSONRPCMessage): Promise<void> {
    await super.send(message)
    if (!('method' in message)) this.#unanswered.delete(message.id)
  }

  override async close(): Promise<void> {
    await super.close()
    this.onClose()
  }

  /** The last line may lack its line end. */
  endLine(): void {
    this.#input.write('\n')
  }

  get hasAnsweredAll(): boolean {
    return this.#unanswered.size === 0 && this.#input.readableLength + this.#input.writableLength === 0
  }

  /** Milliseconds since the client's last message. */
  get quietMs(): number {
    return performance.now() - this.#tookMs
  }
}

const endingSignals: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP']

/** A signal to `npx` does not reach this process: the end of stdin tells that the client is gone. */
function over(session: McpSession, transport: CountingTransport): Promise<void> {
  return new Promise((resolve) => {
    const end = () => resolve()
    for (const name of endingSignals) process.on(name, end)
    process.stdin.once('end', () => void answerRest(session, transport).then(end, end))
    process.stdin.once('error', end).once('close', () => process.stdin.readableEnded || end())
    process.stdout.once('error', end)
    transport.onClose = end
  })
}

const starter = process.ppid
/** Milliseconds for the answers to commands that have been ended. */
const endedGraceMs = 500

/**
 * After the end of the input, waits for the answers to the requests that have arrived, such as those that a script pipes, and ends
 * commands that still run after the grace. The grace counts from the last message: a client that closes while it waits for an answer
 * needs it no more. Where the client is dead, commands end at once.
 */
async function answerRest(session: McpSession, transport: CountingTransport): Promise<void> {
  transport.endLine()
  const isOver = () => transport.hasAnsweredAll || process.ppid !== starter
  await until(() => isOver() || transport.quietMs > brokenGraceMs)
  await session.close()
  // Ended commands have a result, too.
  const closedMs = performance.now()
  await until(() => transport.hasAnsweredAll || performance.now() - closedMs > endedGraceMs)
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await delay(20)
}
