import { lookup } from 'node:dns/promises'
import type { Address } from './addresses.ts'
import { parseHost } from './hosts.ts'

/** The addresses of a name, in the order in which to try them. Rejects if there are none. */
export type Resolver = (name: string) => Promise<readonly string[]>

/** A lookup occupies a thread of Node's pool, which has four by default, until the system's resolver gives up. */
const maxLookups = 2
const waiting: (() => void)[] = []
let lookups = 0

/** getaddrinfo(3), for the same answers as other programs of this machine get. */
export const systemResolver: Resolver = async (name) => {
  if (lookups >= maxLookups) await new Promise<void>((resolve) => waiting.push(resolve))
  else lookups += 1
  try {
    const found = await lookup(name, { all: true, verbatim: true })
    return found.map(({ address }) => address)
  } finally {
    const next = waiting.shift()
    if (next) next()
    else lookups -= 1
  }
}

/** Undefined: no answer in time, or none that is an address. */
export async function addressesOf(
  name: string,
  resolver: Resolver,
  signal: AbortSignal,
): Promise<readonly Address[] | undefined> {
  const texts = await inTime(resolver(name), signal)
  const found = texts?.flatMap((text) => {
    const host = parseHost(text)
    return host?.kind === 'address' ? [host] : []
  })
  return found?.length ? found : undefined
}

function inTime<T>(answer: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  return new Promise((resolve) => {
    const none = () => resolve(undefined)
    signal.addEventListener('abort', none, { once: true })
    answer.then(resolve, none).finally(() => signal.removeEventListener('abort', none))
    if (signal.aborted) none()
  })
}
