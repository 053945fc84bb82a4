import { randomBytes } from 'node:crypto'
import { Agent, get, type IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { waitFor } from '../helpers/processes.ts'
import { openProxy, tcpServer } from './surroundings.ts'
import { digestOf, flood, mebibyte } from './tunnels.ts'

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
