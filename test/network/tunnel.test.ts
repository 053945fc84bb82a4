import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { waitFor } from '../helpers/processes.ts'
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

  it('ends where the bytes of the command are used up', async () => {
    const { gate, server, toClient, toServer } = await openTunnel()
    gate.spend(64 * 2 ** 30 - 50 * mebibyte)
    flood(server)
    await Promise.all([Promise.race([toClient.ended, toClient.closed]), toServer.closed])
    const [record] = gate.connections()
    expect(record?.received).toBeGreaterThan(49 * mebibyte)
    expect(record?.received).toBeLessThan(51 * mebibyte)
    expect(toClient.bytes).toBeLessThanOrEqual(record?.received ?? 0)
  })
})
