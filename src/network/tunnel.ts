import type { Duplex } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Upstream } from './gate.ts'

/** Carries bytes both ways until both ends are done. The end of one direction leaves the other open. */
export function tunnel(client: Duplex, { socket, gate }: Upstream): void {
  const destroy = () => {
    client.destroy()
    socket.destroy()
  }
  const counted = ({ length }: Buffer) => {
    if (!gate.spend(length)) destroy()
  }
  client.on('data', counted)
  socket.on('data', counted)
  pipeline(client, socket).catch(destroy)
  pipeline(socket, client).catch(destroy)
}

const lingerMs = 2000

/** Answers a client that gets no more. One that keeps its side open would occupy a connection as long as the shell is open. */
export function endRefused(socket: Duplex, answer?: Buffer | string): void {
  if (answer === undefined) socket.end()
  else socket.end(answer)
  socket.resume() // else its end would not be noticed
  const late = setTimeout(() => socket.destroy(), lingerMs).unref()
  socket.once('close', () => clearTimeout(late))
}
