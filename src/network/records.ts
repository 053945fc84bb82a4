import type { Connection, ConnectionReason } from '../base/types.ts'
import { type Host, hostAndPort } from './hosts.ts'

/**
 * The most records of allowed connections, and of refused ones. Further connections are counted in the last record of their host,
 * port and outcome. An allowed host without a record still gets one, so that no command hides it by filling the list.
 */
const maxRecords = 1000

/** From here on, connections to allowed hosts without a record (under a wildcard) are counted together. */
const maxWithHosts = 2 * maxRecords
const others: Host = { kind: 'name', name: '*' }

interface Counts {
  sent: number
  received: number
  count: number
}

/** A record whose counts can still change. */
export type OpenRecord = Omit<Connection, keyof Counts> & Counts

export interface Client {
  readonly pid: number
  readonly program: string
}

/** The connections of one command, in the order in which they were asked for. */
export class Records {
  readonly #records = new Set<OpenRecord>()
  readonly #sizes = { allowed: 0, refused: 0 }
  readonly #known = new Map<string, OpenRecord>()

  add(
    host: Host,
    port: number,
    reason: ConnectionReason | undefined,
    client: Client | undefined,
  ): OpenRecord {
    const key = `${hostAndPort(host, port)} ${reason ?? ''}`
    const last = this.#known.get(key)
    const verdict = reason ? 'refused' : 'allowed'
    const isFull = this.#sizes[verdict] >= maxRecords
    // Refusals of one kind are one record: a program that tries again says nothing new.
    if (last && (reason || isFull)) {
      last.count += 1
      return last
    }
    if (!reason && host !== others && this.#sizes.allowed >= maxWithHosts)
      return this.add(others, port, undefined, client)
    const about = { host: host.name, port, verdict, ...(reason && { reason }) } as const
    const record = { ...about, sent: 0, received: 0, ...client, count: 1 }
    if (isFull && reason) return record
    this.#sizes[verdict] += 1
    this.#records.add(record)
    this.#known.set(key, record)
    return record
  }

  /** Takes one connection from an allowed record, because it was refused after all. */
  takeBack(record: OpenRecord): void {
    record.count -= 1
    if (record.count > 0) return
    this.#sizes.allowed -= 1
    this.#records.delete(record)
    for (const [key, known] of this.#known) if (known === record) this.#known.delete(key)
  }

  list(): readonly Connection[] {
    return Array.from(this.#records, (record) => ({ ...record }))
  }
}
