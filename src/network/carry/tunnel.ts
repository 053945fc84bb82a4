import { once } from 'node:events'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import { serverNameOf } from '../client-hello.ts'
import type { Gate } from '../gate.ts'
import { type Host, parseHost } from '../hosts.ts'
import type { OpenRecord } from '../records.ts'
import { flushed } from './handle.ts'
import type { Incoming, Take } from './incoming.ts'
import { Outgoing } from './outgoing.ts'
import { canRelay, handOverBytes, relay } from './relay.ts'

export interface TunnelEnds {
  readonly client: Duplex
  readonly upstream: Socket
  readonly incoming: Incoming
  readonly record: OpenRecord
}

/** A client may read nothing before all that it sends has arrived: neither direction can wait long for the other. */
const handOverMs = 250

/** Carries bytes both ways until both ends are done. The end of one direction leaves the other open. */
export function tunnel(ends: TunnelEnds, gate: Gate): void {
  const { client, upstream, incoming, record } = ends
  let moved = 0
  let next = handOverBytes
  const counted = (bytes: number) => {
    if (!gate.spend(bytes)) return destroy(ends)
    moved += bytes
    if (moved < next) return
    next = Number.POSITIVE_INFINITY
    setImmediate(() => void handOver({ ...ends, outgoing }, gate).then(() => (next = moved * 2)))
  }
  for (const side of [client, upstream]) side.on('error', () => destroy(ends))
  // Not destroyed: what was written to the other end may still be on its way.
  client.on('close', () => upstream.end())
  upstream.on('close', () => client.end())
  const outgoing = new Outgoing(client, upstream, (bytes) => {
    record.sent += bytes
    counted(bytes)
  })
  if (upstream.readableEnded) client.end()
  else upstream.once('end', () => client.end())
  incoming.begin(upstream, (bytes, taken) => {
    record.received += bytes.length
    counted(bytes.length)
    return passOn(client, bytes, taken)
  })
}

function destroy({ client, upstream }: TunnelEnds): void {
  client.destroy()
  upstream.destroy()
}

async function handOver(ends: TunnelEnds & { readonly outgoing: Outgoing }, gate: Gate): Promise<void> {
  const { client, upstream, incoming, outgoing } = ends
  if (!canRelay(ends, gate)) return
  incoming.stop()
  outgoing.stop()
  const late = setTimeout(handOverMs, false, { ref: false })
  const isFlushed = await Promise.race([late, Promise.all([flushed(client), flushed(upstream)])])
  if (
    client.destroyed ||
    upstream.destroyed ||
    (isFlushed && relay({ ...ends, ended: () => destroy(ends) }, gate))
  )
    return
  incoming.start()
  outgoing.start()
}

/** Bytes that the kernel takes at once are not queued. */
function passOn(client: Duplex, bytes: Buffer, taken: () => void): ReturnType<Take> {
  let isLate = false
  client.write(bytes, () => isLate && taken())
  isLate = client.writableLength > 0
  return isLate ? 'later' : 'taken'
}

const helloMs = 10_000
const maxHello = 65_536

/** Whether a client begins with TLS for this host. What it sent stays to be read. */
export async function beginsWithTlsFor(host: Host, client: Duplex): Promise<boolean> {
  const signal = AbortSignal.timeout(helloMs)
  let bytes: Buffer = Buffer.alloc(0)
  try {
    for (;;) {
      const chunk: Buffer | null = client.read()
      if (chunk) bytes = Buffer.concat([bytes, chunk])
      const found = serverNameOf(bytes)
      if (found.kind !== 'more') {
        client.unshift(bytes)
        return agrees(host, found.kind === 'name' ? found.name : found.kind === 'none' ? undefined : null)
      }
      if (client.readableEnded || bytes.length > maxHello) return false
      await once(client, 'readable', { signal })
    }
  } catch {
    return false // no ClientHello in time, or the client went away
  }
}

/** @param name undefined: TLS without a name, as for an address; null: not TLS */
function agrees(host: Host, name: string | undefined | null): boolean {
  if (name === null) return false
  if (name === undefined) return host.kind === 'address'
  const named = parseHost(name)
  return named?.kind === host.kind && named.name === host.name
}
