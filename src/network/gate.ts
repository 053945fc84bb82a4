import { randomBytes } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { abortAfter } from '../base/clock.ts'
import type { Connection, ConnectionReason } from '../base/types.ts'
import { type HostRules, verdictOn } from './access.ts'
import { type Address, addressesOf, isPublic, type Resolver } from './addresses.ts'
import { type Host, hostAndPort } from './hosts.ts'

export interface GateOptions {
  readonly rules: HostRules
  readonly resolver: Resolver
  /** Asks about a host that is not listed; absent: it is refused. */
  readonly ask?: AskHost | undefined
}

/** @param signal aborts when the command has ended */
export type AskHost = (wanted: Wanted, signal: AbortSignal) => Promise<boolean>

export interface Client {
  readonly pid: number
  readonly program: string
}

/** What a client wants to connect to. */
export interface Target {
  readonly host: Host
  readonly port: number
}

export interface Wanted extends Target {
  readonly client: Client | undefined
}

let numbers = 0

const maxOpen = 1024
const maxBytes = 64 * 2 ** 30
const connectMs = 10_000

/** What one command may connect to, and what it did. Closed with the command. */
export class Gate {
  /** The proxy knows the connections of the command by this number, from the system, or by the secret, from the client. */
  readonly number = ++numbers
  readonly secret = randomBytes(24).toString('hex')
  readonly #options: GateOptions
  readonly #records = new Records()
  readonly #open = new Map<Socket, OpenRecord>()
  readonly #closing = new AbortController()
  #pending = 0
  #bytes = 0

  constructor(options: GateOptions) {
    this.#options = options
  }

  connections(): readonly Connection[] {
    return this.#records.list()
  }

  /** Checks the host, resolves it once, and connects to the addresses that were checked. Never rejects. */
  async connect(wanted: Wanted): Promise<Socket | ConnectionReason> {
    const connected = await this.#connected(wanted)
    const record = this.#records.add(wanted, typeof connected === 'string' ? connected : undefined)
    if (typeof connected === 'string') return connected
    this.#open.set(connected, record)
    connected.once('close', () => this.#count(connected))
    if (this.#closing.signal.aborted) this.close() // meanwhile
    return connected
  }

  /** Counts bytes of a connection; false: the command has moved too many. */
  spend(bytes: number): boolean {
    this.#bytes += bytes
    return this.#bytes <= maxBytes
  }

  /** Ends every connection of the command. */
  close(): void {
    this.#closing.abort()
    for (const socket of this.#open.keys()) {
      this.#count(socket)
      socket.destroy()
    }
  }

  /** Adds what a connection has carried to its record, once. */
  #count(socket: Socket): void {
    const record = this.#open.get(socket)
    if (!record) return
    this.#open.delete(socket)
    record.sent += socket.bytesWritten
    record.received += socket.bytesRead
  }

  async #connected(wanted: Wanted): Promise<Socket | ConnectionReason> {
    if (this.#open.size + this.#pending >= maxOpen || this.#bytes > maxBytes) return 'too-many'
    this.#pending += 1
    try {
      const refusal = await this.#refusal(wanted)
      if (refusal !== undefined) return refusal
      // Begins after a question: a person may take longer to answer it.
      const wait = abortAfter(connectMs, this.#closing.signal)
      return await this.#connectedWithin(wanted, wait.signal).finally(wait.end)
    } finally {
      this.#pending -= 1
    }
  }

  /** Why the command may not connect to the host; undefined: it may. */
  async #refusal(wanted: Wanted): Promise<ConnectionReason | undefined> {
    const { host, port } = wanted
    const { ask, rules } = this.#options
    const verdict = verdictOn(rules, host, port)
    if (verdict !== 'not-listed') return verdict === 'denied' ? verdict : undefined
    // A yes cannot open an address that is not public, so there is nothing to ask.
    if (!ask || (host.kind === 'address' && !isPublic(host))) return 'not-listed'
    return (await ask(wanted, this.#closing.signal)) ? undefined : 'not-approved'
  }

  async #connectedWithin({ host, port }: Target, signal: AbortSignal): Promise<Socket | ConnectionReason> {
    const { resolver, rules } = this.#options
    const found = host.kind === 'address' ? [host] : await addressesOf(host.name, resolver, signal, this)
    if (!found) return signal.aborted ? 'unreachable' : 'not-found'
    // `[network] deny` lists the address: no name may lead to it then.
    if (found.some((address) => verdictOn(rules, address, port) === 'denied')) return 'denied'
    // An address that is listed itself may also be one that is not public.
    const open = found.filter((address) => isPublic(address) || verdictOn(rules, address, port) === 'listed')
    if (open.length === 0) return 'not-public'
    return (await connectTo(open, port, signal)) ?? 'unreachable'
  }
}

/** Undefined: none of the addresses could be reached in time. */
function connectTo(
  addresses: readonly Address[],
  port: number,
  signal: AbortSignal,
): Promise<Socket | undefined> {
  const known = addresses.map(({ name, family }) => ({ address: name, family }))
  return new Promise((resolve) => {
    const socket = connect({
      host: 'checked.invalid', // never resolved: `lookup` has the addresses
      port,
      allowHalfOpen: true,
      autoSelectFamily: true,
      noDelay: true,
      lookup: (_name, _options, answer) => answer(null, known),
    })
    const give = (result: Socket | undefined) => {
      signal.removeEventListener('abort', abort)
      if (!result) socket.destroy()
      resolve(result)
    }
    const abort = () => give(undefined)
    signal.addEventListener('abort', abort, { once: true })
    socket.once('connect', () => give(socket))
    socket.on('error', () => give(undefined)) // stays: an error after the connection ends it, see tunnel.ts
    if (signal.aborted) abort()
  })
}

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
type OpenRecord = Omit<Connection, keyof Counts> & Counts

/** The connections of one command, in the order in which they were asked for. */
export class Records {
  readonly #records = new Set<OpenRecord>()
  readonly #sizes = { allowed: 0, refused: 0 }
  readonly #known = new Map<string, OpenRecord>()

  add({ host, port, client }: Wanted, reason?: ConnectionReason): OpenRecord {
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
      return this.add({ host: others, port, client })
    const about = { host: host.name, port, verdict, ...(reason && { reason }) } as const
    const record = { ...about, sent: 0, received: 0, ...client, count: 1 }
    if (isFull && reason) return record
    this.#sizes[verdict] += 1
    this.#records.add(record)
    this.#known.set(key, record)
    return record
  }

  list(): readonly Connection[] {
    return Array.from(this.#records, (record) => ({ ...record }))
  }
}
