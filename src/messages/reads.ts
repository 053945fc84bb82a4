import type { HintReader } from '../base/hint.ts'
import { visible } from '../base/text.ts'
import type { Enforcement, Failure, Mode } from '../base/types.ts'
import { modeNames, remedies } from './hints.ts'

/** Notes of `enforcement` on what `reads` and `unreadable` do not cover. */
export const readsNotes = {
  everywhere: 'everything this user can read is readable (to change that, set reads = "workspace")',
  workspace: 'the workspace, the system and toolchains can be read; stat(2) still works for other paths',
  kept: 'contents only: names, sizes and times are visible; hard links elsewhere can be read (docs/security/reads.md)',
  nothing: 'no file is unreadable (to change that, set unreadable = "secrets")',
} as const

/** The note of `enforcement` on a workspace that was not searched completely (native/linux/confine/places/search.c). */
export const unsearchedNote =
  'the search of the workspace for .env files ended early (at most 2000 directories, 1000 files, 200 ms, one file system); those it did not find can be read: name them in [shell] unreadable'

export function readsHint(
  mode: Mode,
  enforcement: Enforcement,
  failure: Failure | undefined,
  reader: HintReader,
  /** The path that the command's errors name and that may not be read. */
  path?: string,
): string | undefined {
  if (failure?.kind !== 'permission-denied') return undefined
  const settings = [
    ...(enforcement['reads']?.enforced ? ['reads = "workspace"'] : []),
    ...(enforcement['unreadable']?.enforced ? ['unreadable'] : []),
  ]
  if (settings.length === 0) return undefined
  const keys = `([shell] ${settings.join(', ')})`
  if (path !== undefined)
    return reader !== 'user'
      ? `${modeNames[mode]} may not read ${visible(path)} ${keys}; only the user can make it readable.`
      : `${modeNames[mode]} may not read ${visible(path)} ${keys}; make it readable there, or run the command in write mode.`
  const said = `${modeNames[mode]} may not read everything here ${keys};`
  return reader !== 'user'
    ? `${said} only the user can make a file readable there. If a change was intended, ${remedies.tool.write}.`
    : `${said} make the file readable there, or use write mode if a change was intended.`
}
