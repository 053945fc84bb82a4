import { randomBytes } from 'node:crypto'
import { readdirSync, readlinkSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { RelayAddon } from '../../src/network/carry/relay-addon.ts'
import { waitFor } from '../helpers/processes.ts'
import { counting, digestOf, flood, mebibyte, noRelays, openRelayed, openTunnel } from './tunnels.ts'

/** This process's pipes: a relay has two. */
function pipes(): number {
  const links = readdirSync('/proc/self/fd').map((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`)
    } catch {
      return '' // the directory itself
    }
  })
  return links.filter((link) => link.startsWith('pipe:')).length
}

describe.skipIf(noRelays !== null)('a tunnel that moves much', () => {
  it('loses, doubles and reorders nothing in either direction, and counts every byte', async () => {
    const { count, relays } = counting()
    const { gate, client, server, toClient, toServer } = await openTunnel(relays)
    const [up, down] = [randomBytes(24 * mebibyte + 1), randomBytes(40 * mebibyte + 7)]
    for (const [socket, bytes] of [
      [client, up],
      [server, down],
    ] as const)
      socket.end(bytes)
    await Promise.all([toClient.closed, toServer.closed])
    expect([toServer.digest(), toClient.digest()]).toEqual([digestOf(up), digestOf(down)])
    await waitFor(() => count.ended === 1)
    expect(count).toEqual({ begun: 1, ended: 1 })
    expect(gate.connections()).toMatchObject([{ sent: up.length, received: down.length }])
  })

  it('keeps small ones in JavaScript', async () => {
    const { count, relays } = counting()
    const { client, server, toClient } = await openTunnel(relays)
    server.end(Buffer.alloc(mebibyte / 2))
    client.end()
    await toClient.closed
    expect([toClient.bytes, count.begun]).toEqual([mebibyte / 2, 0])
  })

  it('carries the end of the client, and then goes on to it', async () => {
    const { client, server, toClient, toServer } = await openRelayed()
    client.end('last')
    await toServer.ended
    expect(toServer.bytes).toBe(4)
    server.end(Buffer.alloc(3 * mebibyte))
    await toClient.closed
    expect(toClient.bytes).toBe(5 * mebibyte)
  })

  it('carries the end of the server, and then goes on to it', async () => {
    const { client, server, toClient, toServer } = await openRelayed()
    server.end('last')
    await toClient.ended
    expect(toClient.bytes).toBe(2 * mebibyte + 4)
    client.end(Buffer.alloc(3 * mebibyte))
    await toServer.closed
    expect(toServer.bytes).toBe(3 * mebibyte)
  })

  it('becomes a relay also when the client has ended before', async () => {
    const { count, relays } = counting()
    const { client, server, toClient, toServer } = await openTunnel(relays)
    client.end('request')
    await toServer.ended
    server.end(Buffer.alloc(8 * mebibyte))
    await toClient.closed
    expect([toServer.bytes, toClient.bytes, count.begun]).toEqual([7, 8 * mebibyte, 1])
  })

  it('serves a client that reads only after it has sent everything', async () => {
    const { relays } = counting()
    const { client, server, toClient, toServer } = await openTunnel(relays)
    client.pause()
    server.pipe(server)
    await new Promise<void>((resolve) => client.end(Buffer.alloc(1.5 * mebibyte), resolve))
    client.resume()
    await toClient.closed
    expect([toServer.bytes, toClient.bytes]).toEqual([1.5 * mebibyte, 1.5 * mebibyte])
  })

  it('ends for both when one of them resets', async () => {
    for (const side of ['client', 'server'] as const) {
      const { toClient, toServer, count, ...sockets } = await openRelayed()
      flood(sockets.server)
      sockets[side].resetAndDestroy()
      await Promise.all([toClient, toServer].map(({ ended, closed }) => Promise.race([ended, closed])))
      await waitFor(() => count.ended === 1)
      expect(count).toEqual({ begun: 1, ended: 1 })
    }
  })

  it('ends with its command, at once and with exact counts', async () => {
    const { proxy, gate, client, server, toServer, toClient, count } = await openRelayed()
    flood(client)
    await waitFor(() => toServer.bytes > 8 * mebibyte)
    proxy.shut(gate)
    const [record] = gate.connections()
    expect(count.ended).toBe(1)
    await toServer.ended
    expect(toServer.bytes).toBe(record?.sent)
    server.destroy()
    await Promise.all([toServer.closed, toClient.closed])
    expect(gate.connections()).toEqual([record])
  })

  it('ends with the proxy', async () => {
    const { proxy, server, toClient, toServer } = await openRelayed()
    flood(server)
    await proxy.close()
    await Promise.all([toClient.ended, toServer.closed])
  })

  it('ends where the bytes of the command are used up', async () => {
    const { gate, server, toClient, toServer, count } = await openRelayed()
    gate.spend(64 * 2 ** 30 - 50 * mebibyte)
    flood(server)
    await Promise.all([toClient.ended, toServer.closed])
    expect(count.ended).toBe(1)
    const [record] = gate.connections()
    expect(record?.received).toBeGreaterThan(16 * mebibyte)
    expect(record?.received).toBeLessThanOrEqual(52 * mebibyte)
    expect(toClient.bytes).toBe(record?.received)
  })

  it('stays with JavaScript where no relay can begin', async () => {
    const refused: RelayAddon = {
      relay: () => -24,
      relayMore: () => {},
      endRelay: () => ({ there: 0, back: 0 }),
    }
    const { gate, client, server, toClient, toServer } = await openTunnel(refused)
    const [up, down] = [randomBytes(9 * mebibyte), randomBytes(11 * mebibyte)]
    client.end(up)
    server.end(down)
    await Promise.all([toClient.closed, toServer.closed])
    expect([toServer.digest(), toClient.digest()]).toEqual([digestOf(up), digestOf(down)])
    expect(gate.connections()).toMatchObject([{ sent: up.length, received: down.length }])
  })

  it('leaves no descriptor open', async () => {
    const carry = async () => {
      const { client, server, toClient, toServer } = await openRelayed()
      client.end()
      server.end()
      await Promise.all([toClient.closed, toServer.closed])
    }
    await carry()
    const before = pipes()
    for (let i = 0; i < 40; i++) await carry() // more than there can be at a time
    expect(await waitFor(() => pipes() <= before)).toBe(true)
  })
})
