import { once } from 'node:events'
import type { Socket } from 'node:net'
import type { ConnectionReason } from '../base/types.ts'
import { type Host, parseHost } from './hosts.ts'
import type { FindOwner, Owner } from './http.ts'
import { endRefused, headMs, tunnel } from './http.ts'

/** SOCKS 5: RFC 1928; the subnegotiation of user name and password: RFC 1929. */
export const socksVersion = 5
const passwordVersion = 1
const methods = { none: 0, password: 2, unacceptable: 255 } as const
const connectCommand = 1
const types = { ipv4: 1, name: 3, ipv6: 4 } as const

const replies = {
  succeeded: 0,
  failure: 1,
  notAllowed: 2,
  unreachable: 4,
  refused: 5,
  command: 7,
  type: 8,
} as const

interface SocksRequest {
  readonly host: Host
  readonly port: number
}

/** Serves a client whose first byte is the version. */
export async function serveSocks(socket: Socket, ownerOf: FindOwner): Promise<void> {
  const client = new SocksClient(socket, AbortSignal.timeout(headMs))
  try {
    const owner = await ownerBy(client, ownerOf)
    const request = owner && (await readRequest(client))
    if (!owner || !request) return
    client.release() // now: after the client's end nothing can be put back
    const upstream = await owner.gate.connect({ ...request, client: owner.client })
    if ('reason' in upstream) return answerRequest(client, upstream.reason)
    if (socket.destroyed) return void upstream.socket.destroy()
    answerRequest(client, undefined)
    tunnel(socket, upstream)
  } catch {
    socket.destroy() // it went away, or was slow to say what it wants
  }
}

async function ownerBy(client: SocksClient, ownerOf: FindOwner): Promise<Owner | undefined> {
  const known = ownerOf(client.socket, undefined)
  const secret = await readPassword(client, known !== undefined)
  if (secret === null) return known
  if (secret === undefined) return undefined
  const owner = ownerOf(client.socket, secret)
  answerPassword(client, owner !== undefined)
  return owner
}

/** A client that is read field by field. */
class SocksClient {
  readonly socket: Socket
  readonly #signal: AbortSignal
  #read: Buffer = Buffer.alloc(0)

  constructor(socket: Socket, signal: AbortSignal) {
    this.socket = socket
    this.#signal = signal
  }

  /** Rejects if the client goes away, or the signal aborts. */
  async take(length: number): Promise<Buffer> {
    while (this.#read.length < length) {
      const chunk: Buffer | null = this.socket.read()
      if (chunk) this.#read = Buffer.concat([this.#read, chunk])
      else if (this.socket.readableEnded || this.socket.destroyed) throw new Error('ended')
      else await once(this.socket, 'readable', { signal: this.#signal })
    }
    const bytes = this.#read.subarray(0, length)
    this.#read = this.#read.subarray(length)
    return bytes
  }

  /** Bytes after their length. */
  async text(): Promise<string> {
    const [length = 0] = await this.take(1)
    return (await this.take(length)).toString('latin1')
  }

  /** Leaves what has been read too early to the next reader. */
  release(): void {
    if (this.#read.length > 0) this.socket.unshift(this.#read)
  }
}

/**
 * The password that a client gives; null: it gives none, and `withoutPassword` permits that; undefined: it was
 * refused. Rejects if the client goes away.
 */
async function readPassword(
  client: SocksClient,
  withoutPassword: boolean,
): Promise<string | null | undefined> {
  const [, count = 0] = await client.take(2)
  const offered = await client.take(count)
  const method = offered.includes(methods.password)
    ? methods.password
    : withoutPassword && offered.includes(methods.none)
      ? methods.none
      : methods.unacceptable
  client.socket.write(Buffer.of(socksVersion, method))
  if (method === methods.unacceptable) endRefused(client.socket)
  if (method !== methods.password) return method === methods.none ? null : undefined
  const [version] = await client.take(1)
  if (version !== passwordVersion) return void client.socket.destroy()
  await client.text()
  return client.text()
}

function answerPassword({ socket }: SocksClient, accepted: boolean): void {
  const reply = Buffer.of(passwordVersion, accepted ? 0 : 1)
  if (accepted) socket.write(reply)
  else endRefused(socket, reply)
}

/** Undefined: refused, and answered. Rejects if the client goes away. */
async function readRequest(client: SocksClient): Promise<SocksRequest | undefined> {
  const [version, command, , type = 0] = await client.take(4)
  if (version !== socksVersion) return refused(client, replies.failure)
  const hostText = await readHost(client, type)
  if (hostText === undefined) return refused(client, replies.type)
  const port = (await client.take(2)).readUInt16BE()
  if (command !== connectCommand) return refused(client, replies.command)
  const host = parseHost(hostText)
  return host && port > 0 ? { host, port } : refused(client, replies.failure)
}

async function readHost(client: SocksClient, type: number): Promise<string | undefined> {
  if (type === types.name) return client.text()
  if (type === types.ipv4) return (await client.take(4)).join('.')
  if (type !== types.ipv6) return undefined
  const groups = (await client.take(16)).toString('hex').match(/.{4}/g)
  return `[${groups?.join(':')}]`
}

function answerRequest({ socket }: SocksClient, reason: ConnectionReason | undefined): void {
  const reply = reason === undefined ? replies.succeeded : replyTo(reason)
  // The bound address is that of no socket: clients do not use it.
  const answer = Buffer.of(socksVersion, reply, 0, types.ipv4, 0, 0, 0, 0, 0, 0)
  if (reason === undefined) socket.write(answer)
  else endRefused(socket, answer)
}

function replyTo(reason: ConnectionReason): number {
  if (reason === 'not-found') return replies.unreachable
  if (reason === 'unreachable') return replies.refused
  return reason === 'too-many' ? replies.failure : replies.notAllowed
}

function refused({ socket }: SocksClient, reply: number): undefined {
  endRefused(socket, Buffer.of(socksVersion, reply, 0, types.ipv4, 0, 0, 0, 0, 0, 0))
}
