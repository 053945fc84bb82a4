/** A host in the one form that is compared and connected to. */
export type Host =
  /** ASCII, lower case, without a trailing dot. */
  | { readonly kind: 'name'; readonly name: string }
  /** Canonical, without brackets; an IPv4-mapped IPv6 address is an IPv4 address. */
  | { readonly kind: 'address'; readonly name: string; readonly family: 4 | 6 }

/** An entry of `[shell] network` or `[network] deny`. */
export interface HostPattern {
  readonly text: string
  readonly host: Host
  /** `*.HOST`: names with one or more labels before HOST, not HOST itself. */
  readonly wildcard: boolean
  /** Undefined: none was given. */
  readonly port: number | undefined
}

/** Ports of an allowed host without one. */
const defaultPorts: readonly number[] = [443, 80]

const maxNameLength = 253
const label = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/

/** The canonical form of a host as a client writes it; undefined: no host. Brackets are optional around IPv6. */
export function parseHost(text: string): Host | undefined {
  const bare = isIPv6(text) ? `[${text}]` : text
  // The URL parser would cut a host at these, or decode them.
  if (!/^(\[[0-9A-Fa-f:.]+\]|[^\s/?#@\\%|^<>:[\]]+)$/.test(bare)) return undefined
  if (!URL.canParse(`http://${bare}/`)) return undefined
  const { hostname } = new URL(`http://${bare}/`)
  return hostname.startsWith('[') ? address6(hostname.slice(1, -1)) : named(hostname)
}

function named(hostname: string): Host | undefined {
  if (/^[0-9]+(\.[0-9]+){3}$/.test(hostname)) return { kind: 'address', name: hostname, family: 4 }
  const name = hostname.replace(/\.$/, '')
  const valid = name.length <= maxNameLength && name.split('.').every((part) => label.test(part))
  return valid ? { kind: 'name', name } : undefined
}

/** Without a zone. Not node:net, which every start would load for it. */
function isIPv6(text: string): boolean {
  return /^[0-9A-Fa-f:.]+$/.test(text) && text.split(':').length > 2 && URL.canParse(`http://[${text}]/`)
}

/** The URL parser writes an IPv4-mapped address as `::ffff:7f00:1`. */
function address6(address: string): Host {
  const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(address)
  if (!mapped) return { kind: 'address', name: address, family: 6 }
  const bytes = mapped.slice(1).flatMap((half) => {
    const number = Number.parseInt(half, 16)
    return [number >> 8, number & 255]
  })
  return { kind: 'address', name: bytes.join('.'), family: 4 }
}

/** Decimal digits only, from 1 to 65535. */
export function parsePort(text: string): number | undefined {
  const port = /^[0-9]{1,5}$/.test(text) ? Number(text) : 0
  return port >= 1 && port <= 65_535 ? port : undefined
}

/** `HOST`, `*.HOST`, an address, each with `:PORT` or without; undefined: none of these. */
export function parseHostPattern(text: string): HostPattern | undefined {
  const { hostText, portText } = splitPort(text)
  const wildcard = hostText.startsWith('*.')
  const host = parseHost(wildcard ? hostText.slice(2) : hostText)
  const port = portText === undefined ? undefined : parsePort(portText)
  if (!host || (wildcard && host.kind === 'address')) return undefined
  if (portText !== undefined && port === undefined) return undefined
  return { text, host, wildcard, port }
}

/** An IPv6 address with a port needs brackets. */
export function splitPort(text: string): { readonly hostText: string; readonly portText?: string } {
  if (isIPv6(text)) return { hostText: text }
  const found = /^(\[.*\]|[^:]*):([^:]*)$/.exec(text)
  const [, hostText, portText] = found ?? []
  return hostText === undefined || portText === undefined ? { hostText: text } : { hostText, portText }
}

/** Those that the pattern allows. */
export function portsOf({ port }: Pick<HostPattern, 'port'>): readonly number[] {
  return port === undefined ? defaultPorts : [port]
}

/** Without a port the pattern means 443 and 80. */
export function allows(pattern: HostPattern, host: Host, port: number): boolean {
  return portsOf(pattern).includes(port) && matchesHost(pattern, host)
}

/** Without a port the pattern means every port. */
export function denies(pattern: HostPattern, host: Host, port: number): boolean {
  return (pattern.port ?? port) === port && matchesHost(pattern, host)
}

function matchesHost({ host: { kind, name }, wildcard }: HostPattern, host: Host): boolean {
  if (host.kind !== kind) return false
  return wildcard ? host.name.endsWith(`.${name}`) : host.name === name
}

/** Whether every host and port that `inner` allows is one that an entry of `outer` allows. */
export function isCovered(inner: HostPattern, outer: readonly HostPattern[]): boolean {
  return portsOf(inner).every((port) => outer.some((pattern) => covers(pattern, inner, port)))
}

function covers(outer: HostPattern, inner: HostPattern, port: number): boolean {
  if (inner.wildcard && !outer.wildcard) return false
  const same = outer.wildcard && inner.wildcard && outer.host.name === inner.host.name
  return portsOf(outer).includes(port) && (same || matchesHost(outer, inner.host))
}

/** As people and proxies write it. */
export function hostAndPort({ name, kind, ...host }: Host, port: number): string {
  return kind === 'address' && 'family' in host && host.family === 6 ? `[${name}]:${port}` : `${name}:${port}`
}
