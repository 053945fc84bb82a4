import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Gate } from './gate.ts'
import { descriptorOf } from './handle.ts'
import type { OpenRecord } from './records.ts'

/** Two sockets of which nothing is read, and to which nothing remains to be written. */
export interface RelayEnds {
  readonly client: Duplex
  readonly upstream: Socket
  readonly record: OpenRecord
}

/** So much that the JavaScript thread may be late. */
const leaseBytes = 32 * 2 ** 20

/** Whether bytes between the two can be carried in native code. */
export function canRelay({ client, upstream }: Omit<RelayEnds, 'record'>, { relays }: Gate): boolean {
  return relays !== undefined && descriptorOf(client) !== undefined && descriptorOf(upstream) !== undefined
}

/** Carries bytes in native code from now on, and destroys both sockets at the end. False: it could not begin. */
export function relay({ client, upstream, record }: RelayEnds, gate: Gate): boolean {
  const first = descriptorOf(client)
  const second = descriptorOf(upstream)
  const { relays } = gate
  if (!relays || first === undefined || second === undefined) return false
  let leased = gate.take(leaseBytes)
  if (leased === 0) return false
  const end = () => {
    const { there, back } = relays.endRelay(id)
    record.sent += there
    record.received += back
    gate.giveBack(leased - there - back)
    gate.endings.delete(end)
    client.destroy()
    upstream.destroy()
  }
  const more = () => {
    const bytes = gate.take(leaseBytes)
    leased += bytes
    if (bytes === 0) end()
    else relays.relayMore(id, bytes)
  }
  const id = relays.relay(first, second, leased, (event) => (event === 'more' ? more() : end()))
  if (id < 0) gate.giveBack(leased)
  else gate.endings.add(end)
  return id >= 0
}
