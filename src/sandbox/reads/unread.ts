import { basename, resolve } from 'node:path'
import { isBeneath } from '../../base/paths.ts'
import type { Reads, UnreadableNames } from '../sandbox.ts'

/** More errors than this are not looked through. */
const maxLines = 40

/**
 * The path that a command's errors name and that its sandbox keeps from being read. Landlock refuses an open for reading by itself:
 * neither the kernel nor the notifier tells of it.
 */
export function unreadPath(errors: string, cwd: string, reads: Reads): string | undefined {
  const lines = errors
    .split('\n')
    .filter((line) => /permission denied|EACCES|EPERM|not permitted/i.test(line))
  for (const line of lines.slice(-maxLines))
    for (const word of wordsOf(line)) {
      const path = resolve(cwd, word)
      if (isShut(path, reads)) return path
    }
  return undefined
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
