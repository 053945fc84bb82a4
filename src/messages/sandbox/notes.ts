import type { Changes } from '../../sandbox/sandbox.ts'
import { lackText } from '../workspace.ts'

/** Notes of `enforcement` that several systems share. */

export const outputOnly = 'refusals show only in the output of the command'
export const readableLocks = 'a file that can be read can be locked'

export const workspaceNotes = {
  beside: 'outside of the workspace',
  changes: ({ roots, protected: kept, lacks }: Changes) =>
    `open: ${roots.join(', ')}, less ${kept.length} protected paths${lacks ? `; ${lackText(lacks)}` : ''}`,
} as const
