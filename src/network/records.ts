import type { Connection, ConnectionReason } from '../base/types.ts'
import { type Host, hostAndPort } from './hosts.ts'

/**
 * Further connections are counted in the last record of their host, port and outcome. A host without one gets it, if the connection
 * is allowed: no command can hide that by filling the list.
 */
const maxRecords = 1000

/** Then, under a wildcard, connections to hosts without a record are counted together. */
const maxWithHosts = 2 * maxRecords
const others: Host = { kind: 'name', name: '*' }

interface Counts {
  sent: number
  received: number
  count: number
}

/** What can still change. */
export type OpenRecord = Omit<Connection, keyof Counts> & Counts

export interface Client {
  readonly pid: number
  readonly program: string
}

/** The connections of one command, in the order in which they were asked for. */
export class Records {
  readonly #records = new Set<OpenRecord>()
  readonly #known = new Map<string, OpenRecord>()

  add(
    host: Host,
    port: number,
    reason: ConnectionReason | undefined,
    client: Client | undefined,
  ): OpenRecord {
    const key = `${hostAndPort(host, port)} ${reason ?? ''}`
    const last = this.#known.get(key)
    const isFull = this.#records.size >= maxRecords
    // Refusals of one kind are one record: a program that tries again says nothing new.
    if (last && (reason || isFull)) {
      last.count += 1
      return last
    }
    if (!reason && host !== others && this.#records.size >= maxWithHosts)
      return this.add(others, port, undefined, client)
    const record = recordOf(host, port, reason, client)
    if (isFull && reason) return record
    this.#records.add(record)
    this.#known.set(key, record)
    return record
  }

  /** A connection of an allowed record was refused after all. */
  takeBack(record: OpenRecord): void {
    record.count -= 1
    if (record.count > 0) return
    this.#records.delete(record)
    for (const [key, known] of this.#known) if (known === record) this.#known.delete(key)
  }

  list(): readonly Connection[] {
    return Array.from(this.#records, (record) => ({ ...record }))
  }
}

function recordOf(
  { name }: Host,
  port: number,
  reason: ConnectionReason | undefined,
  client: Client | undefined,
): OpenRecord {
  const verdict = reason ? 'refused' : 'allowed'
  return { host: name, port, verdict, ...(reason && { reason }), sent: 0, received: 0, ...client, count: 1 }
}
