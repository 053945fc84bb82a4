import type { Address } from './addresses.ts'
import { allows, denies, type Host, type HostPattern, hostAndPort, portsOf } from './hosts.ts'

/** What a command may connect to. */
export interface HostRules {
  /** A host has to be in each of these lists: those of the shell and of the call. */
  readonly allow: readonly (readonly HostPattern[])[]
  readonly deny: readonly HostPattern[]
  /** A tunnel carries TLS only, for the host that it was opened for. */
  readonly checkSni: boolean
}

export type RuleVerdict = 'listed' | 'not-listed' | 'denied'

export function verdictOn({ allow, deny }: HostRules, host: Host, port: number): RuleVerdict {
  if (deny.some((pattern) => denies(pattern, host, port))) return 'denied'
  return allow.every((list) => isIn(list, host, port)) ? 'listed' : 'not-listed'
}

/** Whether the address itself is listed, which permits also one that is not public. */
export function isListedAddress({ allow }: HostRules, address: Address, port: number): boolean {
  return allow.every((list) => isIn(list, address, port))
}

/** Whether `[network] deny` lists the address: no name may lead to it then. */
export function isDeniedAddress({ deny }: HostRules, address: Address, port: number): boolean {
  return deny.some((pattern) => denies(pattern, address, port))
}

/** The listed loopback addresses, each `ADDRESS:PORT`. */
export function servicesOn(rules: HostRules): readonly string[] {
  const services = rules.allow.flat().flatMap(({ host, ...pattern }) => {
    if (!isLoopback(host)) return []
    const open = portsOf(pattern).filter((port) => verdictOn(rules, host, port) === 'listed')
    return open.map((port) => hostAndPort(host, port))
  })
  return [...new Set(services)]
}

function isLoopback({ kind, name }: Host): boolean {
  return kind === 'address' && (name === '::1' || name.startsWith('127.'))
}

function isIn(list: readonly HostPattern[], host: Host, port: number): boolean {
  return list.some((pattern) => allows(pattern, host, port))
}
