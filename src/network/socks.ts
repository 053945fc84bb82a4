import { once } from 'node:events'
import type { Socket } from 'node:net'
import type { ConnectionReason } from '../base/types.ts'
import type { Target } from './gate.ts'
import { parseHost } from './hosts.ts'
import { endRefused, type FindOwner, headMs, type Owner, tunnel } from './http.ts'

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

/** Takes bytes of a client. Rejects if it goes away, or is slow to say what it wants. */
type Take = (length: number) => Promise<Buffer>

/** Serves a client whose first byte is the version. */
export async function serveSocks(socket: Socket, ownerOf: FindOwner): Promise<void> {
  const signal = AbortSignal.timeout(headMs)
  const take: Take = (length) => taken(socket, length, signal)
  try {
    const owner = await ownerBy(socket, take, ownerOf)
    const target = owner && (await targetIn(take))
    if (!owner || target === undefined) return
    if (typeof target === 'number') return endRefused(socket, answerTo(target))
    const upstream = await owner.gate.connect({ ...target, client: owner.client })
    if (typeof upstream === 'string') return endRefused(socket, answerTo(replyTo(upstream)))
    if (socket.destroyed) return void upstream.destroy()
    socket.write(answerTo(replies.succeeded))
    tunnel(socket, { gate: owner.gate, socket: upstream })
  } catch {
    socket.destroy()
  }
}

async function taken(socket: Socket, length: number, signal: AbortSignal): Promise<Buffer> {
  let bytes: Buffer = Buffer.alloc(0)
  while (bytes.length < length) {
    // No more than there is: a socket with bytes in it is readable at once, again and again.
    const there = Math.max(1, socket.readableLength)
    const more: Buffer | null = socket.read(Math.min(length - bytes.length, there))
    if (more) bytes = Buffer.concat([bytes, more])
    else if (socket.readableEnded || socket.destroyed) throw new Error('ended')
    else await once(socket, 'readable', { signal })
  }
  return bytes
}

/** Bytes after their length. */
async function textIn(take: Take): Promise<string> {
  const [length = 0] = await take(1)
  return (await take(length)).toString('latin1')
}

/** The command that the client belongs to, by its password or by its socket. Undefined: none, and it is refused. */
async function ownerBy(socket: Socket, take: Take, ownerOf: FindOwner): Promise<Owner | undefined> {
  const known = ownerOf(socket, undefined)
  const [, count = 0] = await take(2)
  const method = methodOf(await take(count), known)
  const answer = Buffer.of(socksVersion, method)
  if (method === methods.unacceptable) return void endRefused(socket, answer)
  socket.write(answer)
  if (method === methods.none) return known
  const [version] = await take(1)
  if (version !== passwordVersion) return void socket.destroy()
  await textIn(take)
  const owner = ownerOf(socket, await textIn(take))
  if (owner) socket.write(Buffer.of(passwordVersion, 0))
  else endRefused(socket, Buffer.of(passwordVersion, 1))
  return owner
}

/** A client that is known by its socket needs no password. */
function methodOf(offered: Buffer, known: Owner | undefined): number {
  if (offered.includes(methods.password)) return methods.password
  return known && offered.includes(methods.none) ? methods.none : methods.unacceptable
}

/** A number is the reply that refuses the request. */
async function targetIn(take: Take): Promise<Target | number> {
  const [version, command, , type = 0] = await take(4)
  if (version !== socksVersion) return replies.failure
  const hostText = await hostIn(take, type)
  if (hostText === undefined) return replies.type
  const port = (await take(2)).readUInt16BE()
  if (command !== connectCommand) return replies.command
  const host = parseHost(hostText)
  return host && port > 0 ? { host, port } : replies.failure
}

async function hostIn(take: Take, type: number): Promise<string | undefined> {
  if (type === types.name) return textIn(take)
  if (type === types.ipv4) return (await take(4)).join('.')
  if (type !== types.ipv6) return undefined
  const groups = (await take(16)).toString('hex').match(/.{4}/g)
  return `[${groups?.join(':')}]`
}

/** The bound address is that of no socket: clients do not use it. */
function answerTo(reply: number): Buffer {
  return Buffer.of(socksVersion, reply, 0, types.ipv4, 0, 0, 0, 0, 0, 0)
}

function replyTo(reason: ConnectionReason): number {
  if (reason === 'not-found') return replies.unreachable
  if (reason === 'unreachable') return replies.refused
  return reason === 'too-many' ? replies.failure : replies.notAllowed
}
