import type { Enforcement, RightEnforcement } from '../base/types.ts'
import { readsNotes } from '../messages/reads.ts'
import type { Reads } from './sandbox.ts'

export function enforced(by: string, note?: string): RightEnforcement {
  return note === undefined ? { enforced: true, by } : { enforced: true, by, note }
}

export function notEnforced(note: string): RightEnforcement {
  return { enforced: false, by: 'none', note }
}

export function readsEnforcement(by: string, { readable, unreadable, names }: Reads): Enforcement {
  const keeps = unreadable.length > 0 || names !== null
  return {
    reads: readable ? enforced(by, readsNotes.workspace) : notEnforced(readsNotes.everywhere),
    unreadable: keeps ? enforced(by, readsNotes.kept) : notEnforced(readsNotes.nothing),
  }
}
