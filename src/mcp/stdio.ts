import { largestMessage, mostAtOnce } from './limits.ts'
import { MessageLimit } from './message-limit.ts'
import { StdioServerTransport, serveStdio } from './sdk.ts'
import { makeServer } from './server.ts'
import type { Session } from './session.ts'
import { Turns } from './turns.ts'

/** Serves one client on stdin and stdout. Resolves when it has gone, or a signal came, and everything that ran has been killed. */
export async function serveOnStdio(session: Session): Promise<void> {
  const turns = new Turns(mostAtOnce)
  const over = ended()
  const messages = process.stdin.pipe(new MessageLimit(largestMessage, (text) => process.stdout.write(text)))
  const handle = serveStdio(() => makeServer({ session, turns, hasSession: true }), {
    // Each chunk is one whole message, so the transport's own limit is never met.
    transport: new StdioServerTransport(messages, process.stdout, { maxBufferSize: 2 * largestMessage }),
    onerror: (error) => session.options.log(error.message),
  })
  await over
  // First what runs: the client that would want the answers has gone.
  await session.close()
  await handle.close()
}

const endingSignals: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP']

/** A signal to `npx` does not reach us: the end of stdin is what tells that the client has gone. */
function ended(): Promise<void> {
  return new Promise((resolve) => {
    const end = () => resolve()
    for (const name of endingSignals) process.on(name, end)
    process.stdin.once('end', end).once('close', end).once('error', end)
    process.stdout.once('error', end)
  })
}
