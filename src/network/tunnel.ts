import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Gate, OpenRecord } from './gate.ts'

interface TunnelEnds {
  readonly client: Duplex
  readonly upstream: Socket
  readonly record: OpenRecord
}

/** Carries bytes both ways until both ends are done. The end of one direction leaves the other open. */
export function tunnel({ client, upstream, record }: TunnelEnds, gate: Gate): void {
  const destroy = () => {
    client.destroy()
    upstream.destroy()
  }
  const counted = (bytes: number) => {
    if (!gate.spend(bytes)) destroy()
  }
  client.on('data', ({ length }: Buffer) => {
    if (upstream.destroyed) return // pipeline ends the client a little later
    record.sent += length
    counted(length)
  })
  upstream.on('data', ({ length }: Buffer) => {
    record.received += length
    counted(length)
  })
  pipeline(client, upstream).catch(destroy)
  pipeline(upstream, client).catch(destroy)
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
