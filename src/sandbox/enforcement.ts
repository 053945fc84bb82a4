import type { Unavailable } from '../base/refusal.ts'
import type { Enforcement, RightEnforcement } from '../base/types.ts'
import { unavailable } from '../messages/error.ts'
import type { NetworkKind } from '../network/access.ts'
import type { Changes, Reads, Sandbox } from './sandbox.ts'

export function enforced(by: string, note?: string): RightEnforcement {
  return note === undefined ? { enforced: true, by } : { enforced: true, by, note }
}

export function notEnforced(note: string): RightEnforcement {
  return { enforced: false, by: 'none', note }
}

/** Notes that several systems share. */
export const outputOnly = 'refusals show only in the output of the command'
export const readableLocks = 'a file that can be read can be locked'

export const workspaceNotes = {
  beside: 'outside of the workspace',
  changes: ({ roots, protected: kept, lacks }: Changes) =>
    `open: ${roots.join(', ')}, less ${kept.length} protected paths${lacks ? `; ${lacks}` : ''}`,
} as const

export const readsEverything = notEnforced(
  'everything this user can read is readable (to change that, set reads = "workspace")',
)

export function readsEnforcement(by: string, { readable, unreadable, names }: Reads): Enforcement {
  const keeps = unreadable.length > 0 || names !== null
  const within = 'the workspace, the system and toolchains can be read; stat(2) still works for other paths'
  const contents =
    'contents only: names, sizes and times are visible; hard links elsewhere can be read (docs/security/reads.md)'
  return {
    reads: readable ? enforced(by, within) : readsEverything,
    unreadable: keeps
      ? enforced(by, contents)
      : notEnforced('no file is unreadable (to change that, set unreadable = "secrets")'),
  }
}

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
  if (network !== 'hosts') return
  throw unavailable({
    for: 'hosts',
    wanted: 'a system on which a proxy can be the only way out (Linux, macOS)',
    got,
    remedy: 'set [shell] network to true or false',
  })
}
