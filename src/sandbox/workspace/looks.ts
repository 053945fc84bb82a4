import { isUtf8 } from 'node:buffer'
import {
  type Dirent,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  type Stats,
  statSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { errorCode, tried } from '../../base/errno.ts'

/** Why a directory cannot be opened to changes, and what to do. */
export interface Unfit {
  readonly path: string
  /** As it follows the path: "which …", or what is there. */
  readonly reason: string
  readonly remedy: string
}

/** As many as the kernel follows: path_resolution(7). */
const maxLinks = 40

interface Step {
  readonly place: string
  /** Where the symbolic link there leads; undefined: it is none. */
  readonly target: string | undefined
  /** The names that follow. */
  readonly rest: readonly string[]
}

/**
 * The places that a path leads through, link by link, each by a path without links: path_resolution(7). What a path ends at does not
 * show what it has passed through.
 * @param path absolute, and not normalized: `..` behind a link does not lead to the link's parent
 */
export function* stepsOf(path: string, targetOf = linkTarget): Generator<Step> {
  const rest = path.split('/')
  let at = '/'
  for (let followed = 0, name = rest.shift(); name !== undefined; name = rest.shift()) {
    const place = join(at, name)
    const target = followed < maxLinks ? targetOf(place) : undefined
    yield { place, target, rest }
    at = target === undefined ? place : target.startsWith('/') ? '/' : dirname(place)
    if (target === undefined) continue
    followed += 1
    rest.unshift(...target.split('/'))
  }
}

/** Remembers the links that paths have passed. */
export function rememberedLinks(found?: (link: string) => void): (place: string) => string | undefined {
  const targets = new Map<string, string | undefined>()
  return (place) => {
    if (targets.has(place)) return targets.get(place)
    const target = linkTarget(place)
    targets.set(place, target)
    if (target !== undefined) found?.(place)
    return target
  }
}

/** Undefined: no link, or nothing that can be looked at. */
function linkTarget(place: string): string | undefined {
  const isLink = tried(() => lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink())
  return isLink ? tried(() => readlinkSync(place)) : undefined
}

/** Git's files of this kind are short. */
const maxTextBytes = 1_048_576

/** Asks about paths and records them: while the states of all of them are the same, so are the answers. */
export class Looks {
  readonly paths = new Set<string>()
  /** Of these only the identity counts, not what is in them. */
  readonly above = new Set<string>()
  /** False: an answer depends on more than these paths. */
  isComplete = true
  /** The first reason why nothing can protect the workspace. */
  unfit: Unfit | undefined
  readonly #targetOf = rememberedLinks((link) => this.paths.add(link))
  readonly #entries = new Map<string, ReadonlyMap<string, Dirent> | undefined>()

  refuse(path: string, reason: string, remedy: string): void {
    this.unfit ??= { path, reason, remedy }
  }

  ancestorsOf(path: string): void {
    for (let at = dirname(path); !this.above.has(at); at = dirname(at)) this.above.add(at)
  }

  /** Follows links. Undefined: missing or out of reach. */
  status(path: string): Stats | undefined {
    this.paths.add(path)
    return tried(() => statSync(path, { throwIfNoEntry: false }))
  }

  /** Whether permissions hide what is there. */
  isHidden(path: string): boolean {
    this.paths.add(path)
    try {
      statSync(path, { throwIfNoEntry: false })
      return false
    } catch (error) {
      return errorCode(error) === 'EACCES'
    }
  }

  /** Of the path itself, which may be a link: `other`. */
  kind(path: string): 'file' | 'directory' | 'other' | 'none' {
    this.paths.add(path)
    const status = tried(() => lstatSync(path, { throwIfNoEntry: false }))
    if (!status) return 'none'
    return status.isFile() ? 'file' : status.isDirectory() ? 'directory' : 'other'
  }

  /** Of a small regular file: a FIFO would block, opening a device can have side effects (open(2)). Else empty. */
  text(file: string): string {
    const status = this.status(file)
    const isSmall = status?.isFile() && status.size <= maxTextBytes
    return (isSmall ? tried(() => readFileSync(file, 'utf8')) : undefined) ?? ''
  }

  /** The symbolic links on the way, each by a path without links, and where it leads without links, existing or not. */
  way(path: string): { readonly links: readonly string[]; readonly end: string } {
    const links: string[] = []
    let end = '/'
    for (const { place, target } of stepsOf(path, this.#targetOf)) {
      if (target === undefined) end = place
      else links.push(place)
    }
    return { links, end }
  }

  /** By name; undefined: no directory, or one that cannot be read. */
  entries(path: string): ReadonlyMap<string, Dirent> | undefined {
    this.paths.add(path)
    if (!this.#entries.has(path)) {
      const found = tried(() => readdirSync(path, { withFileTypes: true }))
      this.#entries.set(path, found && new Map(found.map((entry) => [entry.name, entry])))
    }
    return this.#entries.get(path)
  }

  /** The subdirectories of a directory. */
  directories(path: string): readonly string[] {
    const found = [...(this.entries(path)?.values() ?? [])].filter((entry) => entry.isDirectory())
    return found.map(({ name }) => join(path, name))
  }

  /** Looks for repositories and linked worktrees directly in a directory whose names are not UTF-8. */
  unlistableIn(path: string): void {
    const names = tried(() => readdirSync(path, { encoding: 'buffer' })) ?? []
    for (const name of names.filter((each) => !isUtf8(each))) {
      this.isComplete = false
      const at = Buffer.concat([Buffer.from(`${path}/`), name])
      const isThere = (entry: string) =>
        tried(() => lstatSync(Buffer.concat([at, Buffer.from(entry)]))) !== undefined
      const reason = 'a repository that cannot be protected, because its name is not UTF-8'
      if (isThere('/.git') || isThere('/HEAD')) this.refuse(String(at), reason, 'rename that directory')
    }
  }
}
