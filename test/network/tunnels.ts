import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { basic, openProxy, tcpServer } from './surroundings.ts'

export const mebibyte = 2 ** 20

/** All that arrives at a socket. */
class Arrived {
  bytes = 0
  readonly closed: Promise<unknown>
  readonly ended: Promise<unknown>
  readonly #hash = createHash('sha256')

  constructor(socket: Socket) {
    this.ended = once(socket, 'end').catch(() => {})
    this.closed = new Promise((resolve) => socket.once('close', resolve))
    socket.on('error', () => {})
    socket.on('data', (chunk: Buffer) => {
      this.bytes += chunk.length
      this.#hash.update(chunk)
    })
  }

  digest(): string {
    return this.#hash.copy().digest('hex')
  }
}

export function digestOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** A tunnel that stands; `client` and `server` are its peers. */
export async function openTunnel() {
  let arrived: (socket: Socket) => void = () => {}
  const serverSide = new Promise<Socket>((resolve) => {
    arrived = resolve
  })
  const port = await tcpServer((socket) => arrived(socket))
  const { proxy, gate } = await openProxy({ allow: [`127.0.0.1:${port}`] })
  const client = connect({ host: '127.0.0.1', port: proxy.port, allowHalfOpen: true })
  client.write(`CONNECT 127.0.0.1:${port} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${basic(gate.secret)}\r\n`)
  const [server] = await Promise.all([serverSide, once(client, 'data')])
  const [toClient, toServer] = [new Arrived(client), new Arrived(server)]
  return { proxy, gate, client, server, toClient, toServer }
}

/** Writes without end until the socket is closed. */
export function flood(socket: Socket): void {
  const piece = Buffer.alloc(256 * 1024, 'x')
  const more = () => {
    while (!socket.destroyed && socket.write(piece));
  }
  socket.on('drain', more)
  more()
}
