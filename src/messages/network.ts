import type { ConnectionReason } from '../base/types.ts'

/** Answers of the proxy, which clients such as curl print. */
export const unknownClient = 'vitrine: this proxy serves only the commands that it was started for.'
export const badProxyRequest =
  'vitrine: the proxy takes CONNECT HOST:PORT, and http:// URLs whose Host header agrees.'

const reasons: Readonly<Record<ConnectionReason, string>> = {
  'not-listed': 'is not in the list of hosts that this command may connect to',
  denied: 'is in [network] deny',
  'not-approved': 'was not approved',
  'not-public': 'is, or leads to, an address that is not public, and that is not listed itself',
  'other-name': 'was asked for, but the connection is not TLS for this host',
  'not-found': 'has no address',
  unreachable: 'cannot be reached',
  'too-many': 'was refused: the command has too many connections, or has moved too many bytes',
}

/** @param host with its port */
export function refusedHost(host: string, reason: ConnectionReason): string {
  return `vitrine: ${host} ${reasons[reason]}.`
}
