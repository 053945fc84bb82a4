import { lookup } from 'node:dns/promises'
import { BlockList } from 'node:net'
import { networkInterfaces } from 'node:os'
import { unlessAborted } from '../base/clock.ts'
import { words } from '../base/text.ts'
import { Turns } from '../base/turns.ts'
import { type Host, parseHost } from './hosts.ts'

export type Address = Extract<Host, { kind: 'address' }>

/** IANA's registry of special IPv4 addresses (RFC 6890), multicast (RFC 5771), reserved (RFC 1112). */
const special4 = words(`
  0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24
  192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/3`)

/** Of Azure's metadata and DNS service. */
const azure = '168.63.129.16/32'

/** Inside of 2000::/3, the global unicast addresses: Teredo and other protocols, documentation, 6to4. */
const special6 = words('2001::/23 2001:db8::/32 2002::/16 3fff::/20')

const refused = new BlockList()
for (const range of [...special4, azure, ...special6]) {
  const [network = '', bits] = range.split('/')
  refused.addSubnet(network, Number(bits), network.includes(':') ? 'ipv6' : 'ipv4')
}

const global6 = new BlockList()
global6.addSubnet('2000::', 3, 'ipv6')

/**
 * Whether an address is one of the public internet, and not of this machine. Forms of IPv6 that contain an IPv4 address
 * (NAT64, 6to4, Teredo, mapped) are not.
 */
export function isPublic({ name, family }: Address): boolean {
  if (family === 6 && !global6.check(name, 'ipv6')) return false
  return !refused.check(name, family === 6 ? 'ipv6' : 'ipv4') && !isOfThisMachine(name)
}

/** Also true where this cannot be found out: a host without a free descriptor. */
function isOfThisMachine(name: string): boolean {
  try {
    const all = Object.values(networkInterfaces())
    return all.some((addresses) => addresses?.some(({ address }) => address === name))
  } catch {
    return true
  }
}

/**
 * The addresses of a name, in the order in which to try them. Rejects if there are none. After the signal they are not wanted.
 * `owner` stands for the command that asks.
 */
export type Resolver = (name: string, signal: AbortSignal, owner: object) => Promise<readonly string[]>

/** A lookup occupies a thread of Node's pool, which has four by default, until the system's resolver gives up. */
const lookups = new Turns(2)

/** getaddrinfo(3), for the same answers as other programs of this machine get. */
export const systemResolver: Resolver = async (name, signal, owner) => {
  const found = await lookups.run(() => lookup(name, { all: true, verbatim: true }), signal, owner)
  return found.map(({ address }) => address)
}

/** Undefined: no answer in time, or none that is an address. */
export async function addressesOf(
  name: string,
  resolver: Resolver,
  signal: AbortSignal,
  owner: object,
): Promise<readonly Address[] | undefined> {
  const answer = resolver(name, signal, owner).catch(() => undefined)
  const texts = await unlessAborted(answer, signal, () => undefined)
  const found = texts?.flatMap((text) => {
    const host = parseHost(text)
    return host?.kind === 'address' ? [host] : []
  })
  return found?.length ? found : undefined
}
