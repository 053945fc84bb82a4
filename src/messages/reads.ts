import type { Enforcement, Failure } from '../base/types.ts'
import { type HintReader, remedies } from './denials.ts'

/** What differs from what `reads` and `unreadable` say, as `enforcement` tells it. */
export const readsNotes = {
  everywhere: 'whatever this user can read can be read (set reads = "workspace")',
  workspace:
    'the workspace, the system and toolchains can be read; elsewhere stat(2) still tells about paths',
  kept: 'contents only: names, sizes and times can be seen; hard links elsewhere can be read (docs/security/reads.md)',
  nothing: 'nothing is kept from being read (set unreadable = "secrets")',
} as const

/** Stands in `enforcement` when the workspace was too large to be searched whole (native/linux/confine/reads/search.c). */
export const unsearchedNote =
  'the workspace was not searched whole for .env files (at most 2000 directories, 1000 files, 200 ms, and no other file system): those that lie deeper can be read; name them in [shell] unreadable'

/** One sentence on what to do where a file may be kept from being read. */
export function readsHint(
  enforcement: Enforcement,
  failure: Failure | undefined,
  reader: HintReader,
): string | undefined {
  if (failure?.kind !== 'permission-denied') return undefined
  const settings = [
    ...(enforcement['reads']?.enforced ? ['reads = "workspace"'] : []),
    ...(enforcement['unreadable']?.enforced ? ['unreadable'] : []),
  ]
  if (settings.length === 0) return undefined
  const said = `Read mode may not read everything here ([shell] ${settings.join(', ')});`
  return reader === 'tool'
    ? `${said} only the user can let a file through there. If a change was meant, ${remedies.tool.write}.`
    : `${said} a file that is meant to be read has to be let through there, and any change needs write mode.`
}
