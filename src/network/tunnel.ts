import { once } from 'node:events'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { serverNameOf } from './client-hello.ts'
import type { Gate } from './gate.ts'
import { type Host, parseHost } from './hosts.ts'
import type { OpenRecord } from './records.ts'

export interface TunnelEnds {
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
