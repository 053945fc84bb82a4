import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Gate } from '../gate.ts'
import type { OpenRecord } from '../records.ts'
import { descriptorOf } from './handle.ts'

/** What moves so much moves in native code: to hand over less costs more than it saves. */
export const handOverBytes = 2 ** 20

/** So much that the JavaScript thread may be late. */
const leaseBytes = 32 * 2 ** 20

interface Sockets {
  readonly client: Duplex
  readonly upstream: Socket
}

/** Two sockets to which nothing remains to be written, and of which nothing is read. */
export interface RelayEnds extends Sockets {
  readonly record: OpenRecord
  /** Only so many bytes, to the client, which may be read. */
  readonly only?: number
  readonly ended: (back: number) => void
}

/** Whether bytes between the two can be carried in native code. */
export function canRelay({ client, upstream }: Sockets, { relays }: Gate): boolean {
  return relays !== undefined && descriptorOf(client) !== undefined && descriptorOf(upstream) !== undefined
}

/** Carries bytes in native code from now on. Returns what ends it, or undefined: it could not begin. */
export function relay({ client, upstream, ...ends }: RelayEnds, gate: Gate): (() => void) | undefined {
  const first = descriptorOf(client)
  const second = descriptorOf(upstream)
  const { relays } = gate
  if (!relays || first === undefined || second === undefined) return undefined
  const room = ends.only ?? leaseBytes
  let leased = gate.take(room)
  const end = () => {
    if (!gate.endings.delete(end)) return
    const { there, back } = relays.endRelay(id)
    ends.record.sent += there
    ends.record.received += back
    gate.giveBack(leased - there - back)
    ends.ended(back)
  }
  const more = () => {
    const bytes = gate.take(leaseBytes)
    leased += bytes
    if (bytes === 0) end()
    else relays.relayMore(id, bytes)
  }
  const told = (event: 'more' | 'ended') => (event === 'more' ? more() : end())
  const isRoom = leased > 0 && (leased === room || ends.only === undefined)
  const id = isRoom ? relays.relay(first, second, leased, told, ends.only !== undefined) : 0
  if (id > 0) gate.endings.add(end)
  else gate.giveBack(leased)
  return id > 0 ? end : undefined
}
