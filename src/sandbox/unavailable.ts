import type { Unavailable, Unmet } from '../base/refusal.ts'
import { unavailable } from '../messages/error.ts'
import { unixSocketsMissing } from '../messages/sandbox/linux.ts'
import { hostsMissing } from '../messages/sandbox/network.ts'
import type { NetworkKind } from '../network/access.ts'
import type { Changes, Sandbox } from './sandbox.ts'

export function unavailableSandbox(unmet: Omit<Unavailable, 'code'>): Sandbox {
  return {
    confine() {
      throw unavailable(unmet)
    },
    enforcement: () => ({}),
  }
}

/** Throws SANDBOX_UNAVAILABLE for a list of hosts, on hosts that cannot enforce it. */
export function refuseHosts(network: NetworkKind, got: string): void {
  if (network === 'hosts') throw unavailable(hostsMissing(got))
}

/** Throws SANDBOX_UNAVAILABLE in workspace mode, on hosts that cannot enforce it. */
export function refuseChanges(changes: Changes | null, why: Unmet): void {
  if (changes) throw unavailable(why)
}

/** Since this ABI a ruleset can tell unix sockets apart by path (LANDLOCK_ACCESS_FS_RESOLVE_UNIX). */
export const unixSocketsAbi = 9

/** Throws SANDBOX_UNAVAILABLE unless empty: this host cannot open single sockets only. */
export function refuseUnixSockets(sockets: readonly string[], got: string): void {
  if (sockets.length > 0) throw unavailable(unixSocketsMissing(unixSocketsAbi, got))
}
