import { setTimeout as delay } from 'node:timers/promises'
import { Turns } from '../base/turns.ts'
import { brokenGraceMs, maxAtOnce, maxMessageBytes } from './limits.ts'
import { MessageForm } from './message-form.ts'
import { MessageLimit } from './message-limit.ts'
import { type JSONRPCMessage, StdioServerTransport, serveStdio } from './sdk.ts'
import { makeServer } from './server.ts'
import type { McpSession } from './session.ts'
import { Unanswered } from './unanswered.ts'

/** Resolves when the client is gone or a signal arrived, and everything that ran has been killed. */
export async function serveOnStdio(session: McpSession): Promise<void> {
  const turns = new Turns(maxAtOnce)
  const unanswered = new Unanswered()
  const messages = new MessageForm({
    answer,
    log: (text) => session.options.log(text),
    took: (message) => unanswered.took(message),
    beforeEnd: () => answerRest(session, unanswered),
  })
  const over = ended(messages)
  process.stdin.pipe(new MessageLimit(maxMessageBytes, answer)).pipe(messages)
  const handle = serveStdio(() => makeServer({ session, turns, hasSession: true }), {
    transport: new CountingTransport(messages, unanswered),
    onerror: (error) => session.options.log(error.message),
  })
  await over
  // Commands first: the client is gone and wants no answers.
  await session.close()
  await handle.close()
}

function answer(text: string): void {
  process.stdout.write(text)
}

class CountingTransport extends StdioServerTransport {
  readonly #unanswered: Unanswered

  constructor(messages: MessageForm, unanswered: Unanswered) {
    // Each chunk is one whole message, so the transport's own limit is never reached.
    super(messages, process.stdout, { maxBufferSize: 2 * maxMessageBytes })
    this.#unanswered = unanswered
    // Each answer that waits for a slow client has a listener; Node warns of a leak at the eleventh.
    process.stdout.setMaxListeners(0)
  }

  override async send(message: JSONRPCMessage): Promise<void> {
    await super.send(message)
    this.#unanswered.sent(message)
  }
}

/**
 * After the end of the input, waits for the answers to the requests that have arrived, such as those that a script pipes, and ends
 * commands that still run after the grace. The grace counts from the last message: a client that closes while it waits for an answer
 * needs it no more. Where the client is dead, commands end at once.
 */
async function answerRest(session: McpSession, unanswered: Unanswered): Promise<void> {
  const over = new AbortController()
  const { signal } = over
  const graceMs = Math.max(0, brokenGraceMs - unanswered.quietMs)
  const waits = [unanswered.none(), delay(graceMs, undefined, { signal }), orphaned(signal)]
  await Promise.race(waits.map((wait) => wait.catch(() => {})))
  over.abort()
  await session.close()
  // Ended commands have a result, too.
  await Promise.race([unanswered.none(), delay(endedGraceMs)])
}

/** Milliseconds for the answers to commands that have been ended. */
const endedGraceMs = 500

const starter = process.ppid

/** Resolves when the process that started this one is gone. */
async function orphaned(signal: AbortSignal): Promise<void> {
  while (process.ppid === starter) await delay(20, undefined, { signal })
}

const endingSignals: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP']

/** A signal to `npx` does not reach this process: the end of stdin tells that the client is gone. */
function ended(messages: MessageForm): Promise<void> {
  return new Promise((resolve) => {
    const end = () => resolve()
    for (const name of endingSignals) process.on(name, end)
    messages.once('end', end)
    process.stdin.once('error', end).once('close', () => process.stdin.readableEnded || end())
    process.stdout.once('error', end)
  })
}
