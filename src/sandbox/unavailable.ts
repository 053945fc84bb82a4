import type { Refusal, Unmet } from '../base/refusal.ts'
import { VitrineError } from '../messages/error.ts'
import { hostsMissing } from '../messages/sandbox/network.ts'
import type { NetworkKind } from '../network/access.ts'
import type { Changes, Sandbox } from './sandbox.ts'

export function unavailableSandbox(refusal: Extract<Refusal, { code: 'SANDBOX_UNAVAILABLE' }>): Sandbox {
  return {
    confine() {
      throw new VitrineError(refusal)
    },
    enforcement: () => ({}),
  }
}

/** Throws SANDBOX_UNAVAILABLE for a list of hosts, on hosts that cannot enforce it. */
export function refuseHosts(network: NetworkKind, got: string): void {
  if (network === 'hosts') throw new VitrineError({ code: 'SANDBOX_UNAVAILABLE', ...hostsMissing(got) })
}

/** Throws SANDBOX_UNAVAILABLE in workspace mode, on hosts that cannot enforce it. */
export function refuseChanges(changes: Changes | null, why: Unmet): void {
  if (changes) throw new VitrineError({ code: 'SANDBOX_UNAVAILABLE', ...why })
}
