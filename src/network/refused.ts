import type { Duplex } from 'node:stream'

const lingerMs = 2000

/** Answers a client that gets no more. One that keeps its side open would occupy a connection as long as the shell is open. */
export function endRefused(socket: Duplex, answer?: Buffer | string): void {
  if (answer === undefined) socket.end()
  else socket.end(answer)
  socket.resume() // else its end would not be noticed
  const late = setTimeout(() => socket.destroy(), lingerMs).unref()
  socket.once('close', () => clearTimeout(late))
}
