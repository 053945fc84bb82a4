import { Turns } from '../base/turns.ts'
import { maxAtOnce, maxMessageBytes } from './limits.ts'
import { MessageForm } from './message-form.ts'
import { MessageLimit } from './message-limit.ts'
import { StdioServerTransport, serveStdio } from './sdk.ts'
import { makeServer } from './server.ts'
import type { McpSession } from './session.ts'

/** Resolves when the client is gone or a signal arrived, and everything that ran has been killed. */
export async function serveOnStdio(session: McpSession): Promise<void> {
  const turns = new Turns(maxAtOnce)
  const over = ended()
  const answer = (text: string) => process.stdout.write(text)
  const messages = process.stdin
    .pipe(new MessageLimit(maxMessageBytes, answer))
    .pipe(new MessageForm(answer, (text) => session.options.log(text)))
  const handle = serveStdio(() => makeServer({ session, turns, hasSession: true }), {
    // Each chunk is one whole message, so the transport's own limit is never reached.
    transport: new StdioServerTransport(messages, process.stdout, { maxBufferSize: 2 * maxMessageBytes }),
    onerror: (error) => session.options.log(error.message),
  })
  await over
  // Commands first: the client is gone and wants no answers.
  await session.close()
  await handle.close()
}

const endingSignals: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP']

/** A signal to `npx` does not reach this process: the end of stdin tells that the client is gone. */
function ended(): Promise<void> {
  return new Promise((resolve) => {
    const end = () => resolve()
    for (const name of endingSignals) process.on(name, end)
    process.stdin.once('end', end).once('close', end).once('error', end)
    process.stdout.once('error', end)
  })
}
