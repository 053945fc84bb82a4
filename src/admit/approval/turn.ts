import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'

const againMs = 100

/**
 * Waits until no other process asks at this terminal: an answer to one question must not reach another, and each would
 * save the other's raw mode as how the terminal was. Resolves to what ends the turn; undefined when the signal came first.
 */
export async function takeTurn(signal: AbortSignal): Promise<(() => void) | undefined> {
  const name = terminalName()
  // No /proc: then there is no name that is free again when its process has ended, however it ends.
  if (name === undefined) return () => {}
  while (!signal.aborted) {
    const server = await listen(name)
    if (server) return () => server.close()
    await new Promise((resolve) => setTimeout(resolve, againMs))
  }
  return undefined
}

/** The abstract socket (unix(7)) of the controlling terminal, by its device: proc_pid_stat(5), tty_nr. */
function terminalName(): string | undefined {
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8')
    const device = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[4]
    return `\0vitrine-asks-at-${device}`
  } catch {
    return undefined
  }
}

/** Undefined when somebody has the name. Nobody is answered: whoever connects is hung up on. */
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
