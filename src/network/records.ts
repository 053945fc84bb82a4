import type { Connection, ConnectionReason } from '../base/types.ts'
import { type Host, hostAndPort } from './hosts.ts'

/** Further connections are counted in the last record of their host, port and outcome, or not at all. */
const maxRecords = 1000

/** One connection while it is open. */
export interface OpenRecord {
  verdict: Connection['verdict']
  reason?: ConnectionReason
  sent: number
  received: number
}

export interface Client {
  readonly pid: number
  readonly program: string
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

/** The connections of one command, in the order in which they were asked for. */
export class Records {
  readonly #records: Mutable<Connection>[] = []
  readonly #known = new Map<string, Mutable<Connection>>()

  add(
    host: Host,
    port: number,
    reason: ConnectionReason | undefined,
    client: Client | undefined,
  ): OpenRecord {
    const key = `${hostAndPort(host, port)} ${reason ?? ''}`
    const last = this.#known.get(key)
    // Refusals of one kind are one record: a program that tries again says nothing new.
    if (last && (reason || this.#records.length >= maxRecords)) {
      last.count += 1
      return last
    }
    const record: Mutable<Connection> = {
      host: host.name,
      port,
      verdict: reason ? 'refused' : 'allowed',
      ...(reason && { reason }),
      sent: 0,
      received: 0,
      ...client,
      count: 1,
    }
    if (this.#records.length < maxRecords) {
      this.#records.push(record)
      this.#known.set(key, record)
    }
    return record
  }

  list(): readonly Connection[] {
    return this.#records.map((record) => ({ ...record }))
  }
}
