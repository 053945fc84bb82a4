import { words } from '../base/text.ts'
import {
  allows,
  denies,
  type Host,
  type HostPattern,
  hostAndPort,
  isCovered,
  parseHostPattern,
  portsOf,
} from './hosts.ts'

/** `true`: TCP and UDP clients; `false`: none; a list: TCP to these hosts, by the proxy. */
export type NetworkSetting = boolean | readonly string[]

export type NetworkKind = Network['kind']

/** What a command may connect to. */
export type Network =
  | { readonly kind: 'none' }
  | { readonly kind: 'all' }
  | { readonly kind: 'hosts'; readonly rules: HostRules; readonly asks: boolean }

interface NetworkSettings {
  readonly deny: readonly string[]
  readonly ask: boolean
}

/** The shell's network. Entries have been checked (`isHostPattern`). */
export function networkOf(setting: NetworkSetting, { deny, ask: asks }: NetworkSettings): Network {
  if (typeof setting === 'boolean') return { kind: setting ? 'all' : 'none' }
  // An empty list with an approver: every host is asked about.
  if (setting.length === 0 && !asks) return { kind: 'none' }
  return {
    kind: 'hosts',
    rules: { allow: [patternsOf(setting)], deny: patternsOf(deny) },
    asks,
  }
}

/** The network of one call: never more than the shell's. A call with a list of its own asks about no other host. */
export function narrowed(shell: Network, call: NetworkSetting, settings: NetworkSettings): Network {
  if (call === true || shell.kind === 'none') return shell
  if (call === false) return { kind: 'none' }
  if (shell.kind === 'all') return networkOf(call, { ...settings, ask: false })
  const { rules } = shell
  return { kind: 'hosts', rules: { ...rules, allow: [...rules.allow, patternsOf(call)] }, asks: false }
}

/** A name without a dot needs a port, unless it is localhost: `yes` and `ture` are no hosts. */
export function isHostPattern(text: string): boolean {
  return /[.:]|^localhost$/i.test(text) && parseHostPattern(text) !== undefined
}

/** Whether a list entry allows no more than a setting does. */
export function isWithin(text: string, setting: NetworkSetting): boolean {
  if (typeof setting === 'boolean') return setting
  const [inner] = patternsOf([text])
  return inner !== undefined && isCovered(inner, patternsOf(setting))
}

export function patternsOf(texts: readonly string[]): readonly HostPattern[] {
  return texts.flatMap((text) => parseHostPattern(text) ?? [])
}

/** What a command may connect to. */
export interface HostRules {
  /** A host has to be in each of these lists: those of the shell and of the call. */
  readonly allow: readonly (readonly HostPattern[])[]
  readonly deny: readonly HostPattern[]
}

/** Of a host as it is asked for, or of an address to which its name leads. */
export function verdictOn({ allow, deny }: HostRules, host: Host, port: number) {
  if (deny.some((pattern) => denies(pattern, host, port))) return 'denied'
  const isListed = allow.every((list) => list.some((pattern) => allows(pattern, host, port)))
  return isListed ? 'listed' : 'not-listed'
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

interface ProxyPlace {
  readonly port: number
  readonly secret: string
  /** Hosts that programs connect to themselves: this machine, where a command has servers of its own. */
  readonly own: readonly string[]
}

export const loopback: readonly string[] = ['localhost', '127.0.0.1', '::1']

// In lower case too: curl reads http_proxy only so, because of CGI. No SOCKS in ALL_PROXY: httpx and others prepare every proxy that is
// named, and fail without their package for SOCKS.
const toProxy = words(`
  HTTP_PROXY HTTPS_PROXY http_proxy https_proxy ALL_PROXY all_proxy
  npm_config_proxy npm_config_https_proxy CARGO_HTTP_PROXY PIP_PROXY`)
// Other exceptions would be refused.
const pastProxy = words('NO_PROXY no_proxy npm_config_noproxy')

/** What makes programs connect by the proxy. */
export function proxyVariables({ port, secret, own }: ProxyPlace): Readonly<Record<string, string>> {
  const http = `http://vitrine:${secret}@127.0.0.1:${port}`
  return {
    ...Object.fromEntries(toProxy.map((name) => [name, http])),
    ...Object.fromEntries(pastProxy.map((name) => [name, own.join(',')])),
    NODE_USE_ENV_PROXY: '1',
    JAVA_TOOL_OPTIONS: javaOptions(port, own),
  }
}

/** The JDK has no property for the secret: the proxy recognizes its sockets. */
function javaOptions(port: number, own: readonly string[]): string {
  const place = (scheme: string) => `-D${scheme}.proxyHost=127.0.0.1 -D${scheme}.proxyPort=${port}`
  return `${place('http')} ${place('https')} -Dhttp.nonProxyHosts=${own.map((host) => (host.includes(':') ? `[${host}]` : host)).join('|')}`
}
