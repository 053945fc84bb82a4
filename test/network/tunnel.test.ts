import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect, it } from 'vitest'
import { waitFor } from '../helpers/processes.ts'
import { basic, exchange, openProxy, tcpServer } from './surroundings.ts'

const mebibyte = 2 ** 20

type Head = (host: string) => string
const get: Head = (host) => `GET http://${host}/ HTTP/1.1\r\nHost: ${host}\r\n`
const tunnel: Head = (host) => `CONNECT ${host} HTTP/1.1\r\nHost: ${host}\r\n`

/** All that arrives at a socket, and its ends. */
function arriving(socket: Socket) {
  const parts: Buffer[] = []
  socket.on('error', () => {}).on('data', (part: Buffer) => parts.push(part))
  const closed = new Promise((resolve) => socket.once('close', resolve))
  const ended = new Promise((resolve) => socket.once('end', resolve))
  return { all: () => Buffer.concat(parts), ended, closed }
}

/** A connection through the proxy that something has come back by; `client` and `server` are its peers. */
async function open(head: Head, serve = (_socket: Socket) => {}) {
  const sockets: Socket[] = []
  const port = await tcpServer((socket) => {
    sockets.push(socket)
    serve(socket)
  })
  const { proxy, gate } = await openProxy({ allow: [`127.0.0.1:${port}`] })
  const client = connect({ host: '127.0.0.1', port: proxy.port, allowHalfOpen: true })
  client.write(`${head(`127.0.0.1:${port}`)}${basic(gate.secret)}\r\n`)
  await once(client, 'data')
  await waitFor(() => sockets.length > 0)
  const [server = client] = sockets
  return { proxy, gate, client, server, toClient: arriving(client), toServer: arriving(server) }
}

/** Writes without end until the socket is closed. */
function flood(socket: Socket): void {
  const piece = Buffer.alloc(256 * 1024, 'x')
  const more = () => {
    while (!socket.destroyed && socket.write(piece));
  }
  socket.on('drain', more)
  more()
}

it('a tunnel loses nothing in either direction, and counts every byte', async () => {
  const { gate, client, server, toClient, toServer } = await open(tunnel)
  const [up, down] = [randomBytes(24 * mebibyte + 1), randomBytes(40 * mebibyte + 7)]
  client.end(up)
  server.end(down)
  await Promise.all([toClient.closed, toServer.closed])
  expect([toServer.all().equals(up), toClient.all().equals(down)]).toEqual([true, true])
  expect(gate.connections()).toMatchObject([{ sent: up.length, received: down.length }])
})

it('a tunnel carries the end of the client, and then goes on to it', async () => {
  const { client, server, toClient, toServer } = await open(tunnel)
  client.end('last')
  await toServer.ended
  expect(toServer.all().toString()).toBe('last')
  server.end(Buffer.alloc(3 * mebibyte))
  await toClient.closed
  expect(toClient.all()).toHaveLength(3 * mebibyte)
})

it.each(['client', 'server'] as const)('a tunnel ends for both when the %s resets it', async (side) => {
  const { toClient, toServer, ...sockets } = await open(tunnel)
  flood(sockets.server)
  sockets[side].resetAndDestroy()
  await Promise.all([toClient, toServer].map(({ ended, closed }) => Promise.race([ended, closed])))
})

it('a long body of plain HTTP arrives whole', async () => {
  const file = randomBytes(20 * mebibyte + 5)
  const head = `HTTP/1.1 200 OK\r\nContent-Length: ${file.length}\r\n\r\n`
  const port = await tcpServer((socket) =>
    socket.once('data', () => socket.end(Buffer.concat([Buffer.from(head), file]))),
  )
  const { proxy, gate } = await openProxy({ allow: [`127.0.0.1:${port}`] })
  const asked = `${get(`127.0.0.1:${port}`)}${basic(gate.secret)}Connection: close\r\n\r\n`
  expect((await exchange(proxy.port, asked)).subarray(-file.length).equals(file)).toBe(true)
})

it.each([
  ['a tunnel', tunnel, ''],
  ['a long body of plain HTTP', get, `HTTP/1.1 200 OK\r\nContent-Length: ${2 ** 30}\r\n\r\n`],
])('%s ends with its command, at once, and is counted', async (_what, head, greeting) => {
  const { proxy, gate, client, toClient } = await open(head, (socket) => {
    socket.resume().write(greeting)
    flood(socket)
  })
  await waitFor(() => client.bytesRead > 8 * mebibyte)
  proxy.shut(gate)
  const [record] = gate.connections()
  await Promise.race([toClient.ended, toClient.closed])
  expect(record?.received).toBeGreaterThanOrEqual(8 * mebibyte)
  expect(gate.connections()).toEqual([record])
})
