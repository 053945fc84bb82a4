import { basename, resolve } from 'node:path'
import type { HintReader } from '../../base/hint.ts'
import { isBeneath } from '../../base/paths.ts'
import { visible } from '../../base/text.ts'
import type { Enforcement, Mode } from '../../base/types.ts'
import { modeNames, remedies } from '../../messages/hints.ts'
import type { Reads, UnreadableNames } from '../sandbox.ts'

/** The note of `enforcement` on a workspace that was not searched completely (native/linux/confine/places/search.c). */
export const unsearchedNote =
  'the search of the workspace for .env files ended early (at most 2000 directories, 1000 files, 200 ms, one file system); those it did not find can be read: name them in [shell] unreadable'

interface Denied {
  readonly mode: Mode
  readonly enforcement: Enforcement
  readonly errors: string
  readonly cwd: string
  readonly reads: Reads
}

/** Of a command that was denied something. */
export function readsHint(denied: Denied, reader: HintReader): string | undefined {
  const { mode, enforcement } = denied
  const settings = [
    ...(enforcement['reads']?.enforced ? ['reads = "workspace"'] : []),
    ...(enforcement['unreadable']?.enforced ? ['unreadable'] : []),
  ]
  if (settings.length === 0) return undefined
  const path = unreadPath(denied)
  const what = path === undefined ? 'everything here' : visible(path)
  const said = `${modeNames[mode]} may not read ${what} ([shell] ${settings.join(', ')});`
  if (reader === 'user') return `${said} make it readable there, or run the command in write mode.`
  const change = path === undefined ? ` If a change was intended, ${remedies[reader].write}.` : ''
  return `${said} only the user can make it readable.${change}`
}

/** More errors than this are not looked through. */
const maxLines = 40

/**
 * The path that a command's errors name and that its sandbox keeps from being read. Landlock refuses an open for reading by itself:
 * neither the kernel nor the notifier tells of it.
 */
function unreadPath({ errors, cwd, reads }: Denied): string | undefined {
  const lines = errors
    .split('\n')
    .filter((line) => /permission denied|EACCES|EPERM|not permitted/i.test(line))
  const paths = lines
    .slice(-maxLines)
    .flatMap(wordsOf)
    .map((word) => resolve(cwd, word))
  return paths.find((path) => isShut(path, reads))
}

/** What is quoted, and what stands between blanks and colons. */
function wordsOf(line: string): readonly string[] {
  const quoted = [...line.matchAll(/['"‘“`]([^'"’”`]+)['"’”`]/g)].map(([, word = '']) => word)
  return [...quoted, ...line.split(/: ?|\s+/)].filter((word) => word !== '')
}

function isShut(path: string, { readable, unreadable, names }: Reads): boolean {
  if (unreadable.some((shut) => isBeneath(path, shut))) return true
  if (names && isBeneath(path, names.beneath) && isNamed(basename(path), names)) return true
  if (!readable || !path.startsWith('/')) return false
  return ![readable.workspace, ...readable.others].some((place) => isBeneath(path, place))
}

function isNamed(name: string, { patterns, except }: UnreadableNames): boolean {
  const isOf = (list: readonly string[]) => list.some((pattern) => matches(name, pattern))
  return isOf(patterns) && !isOf(except)
}

function matches(name: string, pattern: string): boolean {
  const parts = pattern.split('*').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${parts.join('.*')}$`, 's').test(name)
}
