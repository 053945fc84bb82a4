import { once } from 'node:events'
import type { Duplex } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Upstream } from './gate.ts'
import { type Host, parseHost } from './hosts.ts'

/** Carries bytes both ways until both ends are done. The end of one direction leaves the other open. */
export function tunnel(client: Duplex, { socket, gate }: Upstream): void {
  const destroy = () => {
    client.destroy()
    socket.destroy()
  }
  const counted = ({ length }: Buffer) => {
    if (!gate.spend(length)) destroy()
  }
  client.on('data', counted)
  socket.on('data', counted)
  pipeline(client, socket).catch(destroy)
  pipeline(socket, client).catch(destroy)
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
        return agrees(host, found)
      }
      if (client.readableEnded || bytes.length > maxHello) return false
      await once(client, 'readable', { signal })
    }
  } catch {
    return false // no ClientHello in time, or the client went away
  }
}

function agrees(host: Host, found: ServerName): boolean {
  if (found.kind !== 'name') return found.kind === 'none' && host.kind === 'address'
  const named = parseHost(found.name)
  return named?.kind === host.kind && named.name === host.name
}

/** The host name in a ClientHello. `more`: the message is not complete yet. */
type ServerName =
  | { readonly kind: 'more' }
  | { readonly kind: 'none' }
  | { readonly kind: 'name'; readonly name: string }
  /** Not a ClientHello. */
  | { readonly kind: 'other' }

const handshakeRecord = 22
const clientHello = 1
const serverNameExtension = 0
const hostName = 0
/** RFC 8446, 5.1 */
const maxRecord = 2 ** 14

/** The host that a TLS client names (RFC 6066, 3), from the first bytes that it sends. */
export function serverNameOf(bytes: Buffer): ServerName {
  try {
    const hello = messageIn(bytes)
    return hello ? nameIn(hello) : { kind: 'more' }
  } catch {
    return { kind: 'other' } // ended within a field, or is no handshake
  }
}

/** The first handshake message, which may span records; undefined: more is to come. */
function messageIn(bytes: Buffer): Fields | undefined {
  const parts: Buffer[] = []
  for (let at = 0, length = 0; ; ) {
    if (at < bytes.length && bytes[at] !== handshakeRecord) throw new RangeError('no handshake')
    if (at + 5 > bytes.length) return undefined
    const size = bytes.readUInt16BE(at + 3)
    if (size === 0 || size > maxRecord || bytes[at + 1] !== 3) throw new RangeError('no handshake')
    const part = bytes.subarray(at + 5, at + 5 + size)
    parts.push(part)
    length += part.length
    const message = length >= 4 ? Buffer.concat(parts) : undefined
    if (message && message[0] !== clientHello) throw new RangeError('no ClientHello')
    const wanted = message ? message.readUIntBE(1, 3) + 4 : undefined
    if (message && wanted !== undefined && length >= wanted) return new Fields(message.subarray(4, wanted))
    if (part.length < size) return undefined
    at += 5 + size
  }
}

/** RFC 8446, 4.1.2 */
function nameIn(hello: Fields): ServerName {
  hello.skip(2 + 32)
  hello.vector(1)
  hello.vector(2)
  hello.vector(1)
  if (hello.isAtEnd()) return { kind: 'none' }
  const extensions = hello.vector(2)
  let found: ServerName = { kind: 'none' }
  while (!extensions.isAtEnd()) {
    const type = extensions.number(2)
    const content = extensions.vector(2)
    if (type !== serverNameExtension) continue
    if (found.kind === 'name') return { kind: 'other' } // two names: servers may differ in which they take
    found = nameInList(content.vector(2))
  }
  return found
}

function nameInList(list: Fields): ServerName {
  const type = list.number(1)
  const name = list.vector(2).text()
  return type === hostName && list.isAtEnd() ? { kind: 'name', name } : { kind: 'other' }
}

/** Reads numbers and vectors of TLS (RFC 8446, 3). Throws a RangeError at the end. */
class Fields {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  isAtEnd(): boolean {
    return this.#at === this.#bytes.length
  }

  skip(length: number): Buffer {
    if (this.#at + length > this.#bytes.length) throw new RangeError('too short')
    this.#at += length
    return this.#bytes.subarray(this.#at - length, this.#at)
  }

  number(length: number): number {
    return this.skip(length).readUIntBE(0, length)
  }

  vector(lengthBytes: number): Fields {
    return new Fields(this.skip(this.number(lengthBytes)))
  }

  text(): string {
    return this.#bytes.toString('latin1')
  }
}

const lingerMs = 2000

/** Answers a client that gets no more. One that keeps its side open would occupy a connection as long as the shell is open. */
export function endRefused(socket: Duplex, answer?: Buffer | string): void {
  if (answer === undefined) socket.end()
  else socket.end(answer)
  socket.resume() // else its end would not be noticed
  const late = setTimeout(() => socket.destroy(), lingerMs).unref()
  socket.once('close', () => clearTimeout(late))
}
