import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import type { HostProxy } from '../../src/network/proxy.ts'
import { exchange, openProxy, webServer } from './surroundings.ts'

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

async function open(proxy: HostProxy, localPort?: number): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port: proxy.port, ...(localPort && { localPort }) })
  socket.on('error', () => {}).resume()
  await once(socket, 'connect')
  return socket
}

/** The answer to a request without a secret, from this port. */
async function ask(proxy: HostProxy, from: number, port: number): Promise<string> {
  const socket = await open(proxy, from)
  const parts: Buffer[] = []
  socket.on('data', (chunk) => parts.push(chunk))
  socket.write(`GET http://good.example:${port}/a HTTP/1.1\r\nConnection: close\r\n\r\n`)
  await once(socket, 'close')
  return Buffer.concat(parts).toString()
}

/** A proxy that serves one connection at a time, and the ports that it believes to be a command's. */
async function makeProxy() {
  const { port } = await webServer()
  const known = new Set<number>()
  const { proxy, gate } = await openProxy(
    { allow: [`good.example:${port}`, `127.0.0.1:${port}`] },
    {
      maxClients: 1,
      clientOf: (from) => (known.delete(from) ? { pid: 1, program: '', command: gate.number } : undefined),
    },
  )
  return { port, proxy, known }
}

describe('the port of a connection that was never served', () => {
  it('speaks for the command while it is connected', async () => {
    const { port, proxy, known } = await makeProxy()
    const from = await freePort()
    known.add(from)
    expect(await ask(proxy, from, port)).toContain('GET /a')
  })

  it('does not after the proxy has dropped it', async () => {
    const { port, proxy, known } = await makeProxy()
    const first = await open(proxy)
    const from = await freePort()
    known.add(from)
    await once(await open(proxy, from), 'close')
    first.destroy()
    while ((await exchange(proxy.port, 'x\r\n\r\n')).length === 0); // never: the test times out
    expect(await ask(proxy, from, port)).toContain('407')
  })

  it('does not after the client has reset it', async () => {
    const { port, proxy, known } = await makeProxy()
    const from = await freePort()
    const reset = await open(proxy, from)
    expect((await exchange(proxy.port, 'x\r\n\r\n')).length).toBe(0) // the proxy has accepted the one before
    known.add(from)
    reset.resetAndDestroy()
    while ((await exchange(proxy.port, 'x\r\n\r\n')).length === 0); // never: the test times out
    expect(await ask(proxy, from, port)).toContain('407')
  })
})
