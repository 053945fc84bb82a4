import { createServer, type Server } from 'node:net'
import { statFields } from '../../base/process.ts'

const againMs = 100

/**
 * Waits until no other process asks at this terminal: an answer could reach the wrong question, and each
 * would restore the other's raw mode. Resolves to a function that ends the turn; undefined if the signal
 * aborts first.
 */
export async function takeTurn(signal: AbortSignal): Promise<(() => void) | undefined> {
  const name = terminalName()
  // Without /proc there is no name that becomes free when its process ends, however it ends.
  if (name === undefined) return () => {}
  while (!signal.aborted) {
    const server = await listen(name)
    if (server) return () => server.close()
    await new Promise((resolve) => setTimeout(resolve, againMs))
  }
  return undefined
}

/** The abstract socket (unix(7)) of the controlling terminal, by its device (tty_nr). */
function terminalName(): string | undefined {
  const device = statFields('self')?.[7]
  return device === undefined ? undefined : `\0vitrine-asks-at-${device}`
}

/** Undefined when another process has the name. Connections are closed at once. */
function listen(name: string): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer((connection) => connection.destroy())
    server.unref()
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(undefined) : reject(error),
    )
    server.listen(name, () => resolve(server))
  })
}
