import { isUtf8 } from 'node:buffer'
import { lstatSync, readdirSync, type Stats, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { tried } from '../../base/errno.ts'

/**
 * Two changes within a tick of the kernel's clock (at most 10 ms) may leave the same time (inode(7)). Times of whole seconds are
 * probably those of a file system that keeps no more (ext4 with inodes of 128 bytes; vfat: every second one).
 */
const tickMs = 20
const coarseTickMs = 2000

/** Whether a file's next change will show in its times. Call it before the file is read. */
export function isSettled({ ctimeMs }: Stats): boolean {
  return Date.now() - ctimeMs > (ctimeMs % 1000 === 0 ? coarseTickMs : 0) + tickMs
}

/** Asks about paths and records them: while the states of all of them are the same, so are the answers. */
export class Looks {
  readonly paths = new Set<string>()
  /** Of these only the identity counts, not what is in them. */
  readonly above = new Set<string>()
  /** False: an answer depends on more than these paths. */
  isComplete = true
  /** A repository whose name is not UTF-8: its paths cannot be listed, so nothing can protect it. */
  unlistable: string | undefined

  ancestorsOf(path: string): void {
    for (let at = dirname(path); !this.above.has(at); at = dirname(at)) this.above.add(at)
  }

  /** Follows links. Undefined: missing or out of reach. */
  status(path: string): Stats | undefined {
    this.paths.add(path)
    return tried(() => statSync(path, { throwIfNoEntry: false }))
  }

  /** Of the path itself, which may be a link: `other`. */
  kind(path: string): 'file' | 'directory' | 'other' | 'none' {
    this.paths.add(path)
    const status = tried(() => lstatSync(path, { throwIfNoEntry: false }))
    if (!status) return 'none'
    return status.isFile() ? 'file' : status.isDirectory() ? 'directory' : 'other'
  }

  /** A directory that cannot be read: a command may have shut it. */
  isShut(path: string): boolean {
    return this.kind(path) === 'directory' && tried(() => readdirSync(path)) === undefined
  }

  /** The subdirectories of a directory; none if it cannot be read. */
  directories(path: string): readonly string[] {
    this.paths.add(path)
    const entries = tried(() => readdirSync(path, { withFileTypes: true })) ?? []
    return entries.filter((entry) => entry.isDirectory()).map((entry) => join(path, entry.name))
  }

  /** The names in a directory, and whether each is a link; undefined if it cannot be read. */
  links(path: string): ReadonlyMap<string, boolean> | undefined {
    this.paths.add(path)
    const entries = tried(() => readdirSync(path, { withFileTypes: true }))
    return entries && new Map(entries.map((entry) => [entry.name, entry.isSymbolicLink()]))
  }

  /** Looks for repositories and linked worktrees directly in a directory whose names are not UTF-8. */
  unlistableIn(path: string): void {
    const names = tried(() => readdirSync(path, { encoding: 'buffer' })) ?? []
    for (const name of names.filter((each) => !isUtf8(each))) {
      this.isComplete = false
      const at = Buffer.concat([Buffer.from(`${path}/`), name])
      const holds = (entry: string) =>
        tried(() => lstatSync(Buffer.concat([at, Buffer.from(entry)]))) !== undefined
      if (holds('/.git') || holds('/HEAD')) this.unlistable = String(at)
    }
  }
}
