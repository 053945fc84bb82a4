import { lookup } from 'node:dns/promises'
import { unlessAborted } from '../base/clock.ts'
import { Turns } from '../base/turns.ts'
import type { Address } from './addresses.ts'
import { parseHost } from './hosts.ts'

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
