import { randomBytes } from 'node:crypto'
import { Agent, get, type IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { waitFor } from '../helpers/processes.ts'
import { openProxy, tcpServer } from './surroundings.ts'
import { digestOf, flood, mebibyte, openTunnel } from './tunnels.ts'

describe('a tunnel', () => {
  it('loses, doubles and reorders nothing in either direction, and counts every byte', async () => {
    const { gate, client, server, toClient, toServer } = await openTunnel()
    const [up, down] = [randomBytes(24 * mebibyte + 1), randomBytes(40 * mebibyte + 7)]
    for (const [socket, bytes] of [
      [client, up],
      [server, down],
    ] as const)
      socket.end(bytes)
    await Promise.all([toClient.closed, toServer.closed])
    expect([toServer.digest(), toClient.digest()]).toEqual([digestOf(up), digestOf(down)])
    expect(gate.connections()).toMatchObject([{ sent: up.length, received: down.length }])
  })

  it('carries the end of the client, and then goes on to it', async () => {
    const { client, server, toClient, toServer } = await openTunnel()
    client.end('last')
    await toServer.ended
    expect(toServer.bytes).toBe(4)
    server.end(Buffer.alloc(3 * mebibyte))
    await toClient.closed
    expect(toClient.bytes).toBe(3 * mebibyte)
  })

  it('ends for both when one of them resets', async () => {
    for (const side of ['client', 'server'] as const) {
      const { toClient, toServer, ...sockets } = await openTunnel()
      flood(sockets.server)
      sockets[side].resetAndDestroy()
      await Promise.all([toClient, toServer].map(({ ended, closed }) => Promise.race([ended, closed])))
    }
  })

  it('ends with its command, at once', async () => {
    const { proxy, gate, client, server, toServer, toClient } = await openTunnel()
    flood(client)
    await waitFor(() => toServer.bytes > 8 * mebibyte)
    proxy.shut(gate)
    const [record] = gate.connections()
    await Promise.race([toServer.ended, toServer.closed])
    expect(toServer.bytes).toBeLessThanOrEqual(record?.sent ?? 0)
    server.destroy()
    await Promise.all([toServer.closed, toClient.closed])
    expect(gate.connections()).toEqual([record])
  })
})

type Asked = Awaited<ReturnType<typeof openAsking>>

/** Asks a server for files through the proxy, on one connection. */
async function openAsking(port: number) {
  const { proxy, gate } = await openProxy({ allow: [`127.0.0.1:${port}`] })
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const headers = {
    Host: `127.0.0.1:${port}`,
    'Proxy-Authorization': `Basic ${Buffer.from(`vitrine:${gate.secret}`).toString('base64')}`,
  }
  const ask = (path: string) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const url = `http://127.0.0.1:${port}${path}`
      get({ host: '127.0.0.1', port: proxy.port, path: url, agent, headers }, resolve).on('error', reject)
    })
  return { proxy, gate, ask }
}

async function bodyOf(asked: ReturnType<Asked['ask']>): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of await asked) parts.push(part as Buffer)
  return Buffer.concat(parts)
}

/** A server that promises a long body, and sends what `serve` does. */
function promising(bytes: number, serve: (socket: Socket) => void) {
  return tcpServer((socket) => {
    socket.once('data', () => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${bytes}\r\n\r\n`)
      serve(socket)
    })
  })
}

describe('a long body of plain HTTP', () => {
  it('arrives whole, and its connection serves the next request', async () => {
    const file = randomBytes(20 * mebibyte + 5)
    const port = await promising(file.length, (socket) => socket.end(file))
    const { ask, gate, proxy } = await openAsking(port)
    const ports = new Set<number | undefined>()
    for (let i = 0; i < 3; i++) {
      const asked = ask('/')
      ports.add((await asked).socket.localPort)
      expect(digestOf(await bodyOf(asked))).toBe(digestOf(file))
    }
    expect(ports.size).toBe(1)
    await proxy.close()
    for (const { received } of gate.connections()) {
      expect(received).toBeGreaterThan(file.length)
      expect(received).toBeLessThan(file.length + 1000)
    }
  })

  it('ends with its command, and is counted', async () => {
    const port = await promising(2 ** 30, flood)
    const { ask, proxy, gate } = await openAsking(port)
    const message = await ask('/')
    let arrived = 0
    message.on('data', (chunk: Buffer) => (arrived += chunk.length)).on('error', () => {})
    await waitFor(() => arrived > 8 * mebibyte)
    proxy.shut(gate)
    const [record] = gate.connections()
    await waitFor(() => message.destroyed)
    expect(record?.received).toBeGreaterThanOrEqual(arrived)
    expect(gate.connections()).toEqual([record])
  })
})
