import type { UnmetInWorkspace } from '../base/refusal.ts'
import type { Changes } from '../sandbox/sandbox.ts'

/** The docker backend mounts Node and vitrine's addon, which hold the command inside of the container. */
export function workspaceInContainer(missing: string): UnmetInWorkspace {
  return {
    for: 'workspace',
    wanted: 'a Node of Linux with the addon of vitrine, to hold the command inside of the container',
    got: missing,
    remedy: 'use --backend local, or --mode read or --mode write',
  }
}

/** Notes of `enforcement` that several systems share. */

export const outputOnly = 'refusals show only in the output of the command'
export const readableLocks = 'a file that can be read can be locked'

export const workspaceNotes = {
  beside: 'outside of the workspace',
  changes: ({ roots, protected: kept, lacks }: Changes) =>
    `open: ${roots.join(', ')}, less ${kept.length} protected paths${lacks ? `; ${lacks}` : ''}`,
} as const
