import type { Unavailable, Unmet } from '../base/refusal.ts'
import { unavailable } from '../messages/error.ts'
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
