import type { UnmetHosts } from '../../base/refusal.ts'
import type { ConnectionReason } from '../../base/types.ts'

/** Answers of the proxy, which clients such as curl print. */
export const unknownClient = 'vitrine: this proxy serves only the commands that it was started for.'
export const badProxyRequest =
  'vitrine: the proxy takes CONNECT HOST:PORT, with no other Host header, and http:// URLs.'
export const badHostAnswer = 'vitrine: the host sent no answer that the proxy can pass on.'

const reasons: Readonly<Record<ConnectionReason, string>> = {
  'not-listed': 'is not in the list of hosts that this command may connect to',
  denied: 'is in [network] deny',
  'not-approved': 'was not approved',
  'not-public': 'is, or leads to, an address that is not public, and that is not listed itself',
  'not-found': 'has no address',
  unreachable: 'cannot be reached',
  'too-many': 'was refused: the command has too many connections, or has moved too many bytes',
}

/** @param host with its port */
export function refusedHost(host: string, reason: ConnectionReason): string {
  return `vitrine: ${host} ${reasons[reason]}.`
}

export const hostsNeed = {
  listener: (errno: string) => `no listener of seccomp notifications (${errno})`,
  docker: 'the docker backend, whose containers without a network cannot reach the proxy',
  windows: 'Windows, where Low integrity does not restrict the network',
  getfd: (errno: string) => `no pidfd_getfd (${errno})`,
}

export function hostsMissing(got: string): UnmetHosts {
  return {
    for: 'hosts',
    wanted: 'a system on which a proxy can be the only way out (Linux, macOS)',
    got,
    remedy: 'set [shell] network to true or false',
  }
}

export function proxyNotListening(reason: string): UnmetHosts {
  return {
    for: 'hosts',
    wanted: 'a port of 127.0.0.1 for the proxy',
    got: `it cannot listen there (${reason})`,
    remedy: 'let this process open more files (ulimit -n), or call again later',
  }
}

/** A wildcard that would allow hosts of everybody. */
export const narrowWildcard = 'a wildcard below a registered name, such as "*.example.com"'
export const suffixWildcard = (text: string) =>
  `"${text}", a public suffix, below which anyone can register names`
