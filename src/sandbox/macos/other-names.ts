import { type Dirent, lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { tried } from '../../base/errno.ts'

/** Entries examined in protected directories. */
const mostEntries = 100_000

export interface OtherName {
  readonly path: string
  readonly why: 'links' | 'too-many'
}

/**
 * A protected file with names (hard links) outside of protected places: the profile checks names, and would let a command write
 * the file by one of these.
 */
export function otherName(places: readonly string[]): OtherName | undefined {
  const files = new Map<string, { path: string; links: number; found: Set<string> }>()
  const waiting = [...places]
  for (let seen = 0, path = waiting.pop(); path !== undefined; seen++, path = waiting.pop()) {
    if (seen > mostEntries) return { path, why: 'too-many' }
    const status = lstatSync(path, { throwIfNoEntry: false })
    if (status?.isDirectory()) waiting.push(...entriesOf(path))
    if (!status?.isFile() || status.nlink < 2) continue
    const key = `${status.dev}:${status.ino}`
    const file = files.get(key) ?? { path, links: status.nlink, found: new Set() }
    file.found.add(path)
    files.set(key, file)
  }
  const linked = [...files.values()].find(({ links, found }) => found.size < links)
  return linked && { path: linked.path, why: 'links' }
}

function entriesOf(directory: string): string[] {
  const entries: Dirent[] = tried(() => readdirSync(directory, { withFileTypes: true })) ?? []
  return entries
    .filter((entry) => entry.isDirectory() || entry.isFile())
    .map((entry) => join(directory, entry.name))
}
