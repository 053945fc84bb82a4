import { once } from 'node:events'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { serverNameOf } from './client-hello.ts'
import type { Gate } from './gate.ts'
import { type Host, parseHost } from './hosts.ts'
import type { Incoming, Take } from './incoming.ts'
import type { OpenRecord } from './records.ts'

export interface TunnelEnds {
  readonly client: Duplex
  readonly upstream: Socket
  readonly incoming: Incoming
  readonly record: OpenRecord
}

/** Carries bytes both ways until both ends are done. The end of one direction leaves the other open. */
export function tunnel({ client, upstream, incoming, record }: TunnelEnds, gate: Gate): void {
  const end = () => {
    client.destroy()
    upstream.destroy()
  }
  const counted = (bytes: number) => {
    if (!gate.spend(bytes)) end()
  }
  for (const side of [client, upstream]) side.on('error', end)
  // Not destroyed: what was written to the other end may still be on its way.
  client.on('close', () => upstream.end())
  upstream.on('close', () => client.end())
  client.on('data', (chunk: Buffer) => {
    record.sent += chunk.length
    counted(chunk.length)
  })
  client.pipe(upstream)
  if (upstream.readableEnded) client.end()
  else upstream.once('end', () => client.end())
  incoming.begin(upstream, (bytes, taken) => {
    record.received += bytes.length
    counted(bytes.length)
    return passOn(client, bytes, taken)
  })
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
