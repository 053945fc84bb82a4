import { type Dirent, lstatSync, readdirSync, readlinkSync } from 'node:fs'
import { basename, dirname, isAbsolute, join } from 'node:path'
import { tried } from '../../base/errno.ts'
import { isBeneath, isProjectDirectory, realPath } from '../../base/paths.ts'
import { readablePlaces } from './places.ts'

/** As many as the kernel follows: path_resolution(7). */
const maxLinks = 40

/** Finds where paths lead, link by link: what a path ends at does not show the places that it has passed through. */
export class Ways {
  readonly #links = new Map<string, string | undefined>()

  /** The path from the first place on its way that `isThere` accepts, without links up to that place; undefined: it passes none. */
  from(path: string, isThere: (place: string) => boolean): string | undefined {
    const names = path.split('/')
    let at = '/'
    for (let followed = 0; names.length > 0 && followed <= maxLinks; ) {
      const place = join(at, names.shift() ?? '')
      if (isThere(place)) return join(place, ...names)
      const target = this.#targetOf(place)
      at = target === undefined ? place : isAbsolute(target) ? '/' : dirname(place)
      if (target === undefined) continue
      names.unshift(...target.split('/'))
      followed += 1
    }
    return undefined
  }

  #targetOf(place: string): string | undefined {
    if (!this.#links.has(place)) this.#links.set(place, targetOf(place))
    return this.#links.get(place)
  }
}

/** Undefined: no link, or nothing that can be looked at. */
function targetOf(place: string): string | undefined {
  return tried(() => lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink())
    ? tried(() => readlinkSync(place))
    : undefined
}

/** More programs than a PATH usually has; the rest is not looked at. */
const maxPrograms = 20_000
const programDirectories = new Set(['bin', 'sbin', 'shims', 'libexec'])

/** What commands may change, or may have changed: they choose where its links lead. */
export interface Changeable {
  /** What adds nothing: it is readable already. */
  readonly projects: readonly string[]
  /** `[workspace] writable` */
  readonly writable: readonly string[]
}

/**
 * Directories of PATH and the targets of links in them; for `PREFIX/bin` all of PREFIX, unless it holds more
 * than programs. None inside a project. Where commands may write, a directory as it is named, and no targets.
 */
export function placesOfPrograms(
  path: string,
  homes: readonly string[],
  changeable: Changeable,
  ways: Ways,
): readonly string[] {
  const entries = [...new Set(path.split(':').filter(isAbsolute))].filter(
    (entry) => !isOfProject(entry, changeable.projects, ways),
  )
  const written = entries.flatMap((entry) => wayInto(entry, changeable.writable, ways) ?? [])
  const directories = entries.flatMap((entry) =>
    wayInto(entry, changeable.writable, ways) ? [] : (realPath(entry) ?? []),
  )
  const places = new Set([...written, ...directories].map((directory) => withPrefix(directory, homes)))
  for (const program of linkedPrograms(directories, changeable, ways))
    places.add(withPrefix(dirname(program), homes))
  return [...places].filter((place) => !holdsHome(place, homes))
}

/** Whether a path lies in a project or passes through one. */
export function isOfProject(path: string, projects: readonly string[], ways: Ways): boolean {
  return ways.from(path, (place) => isProjectDirectory(place, projects)) !== undefined
}

/** The path from where it enters one of these directories, without links up to there; undefined: it does not. */
export function wayInto(path: string, directories: readonly string[], ways: Ways): string | undefined {
  return ways.from(path, (place) => directories.some((directory) => isBeneath(place, directory)))
}

function linkedPrograms(
  directories: readonly string[],
  { projects, writable }: Changeable,
  ways: Ways,
): readonly string[] {
  const links = directories.flatMap((directory) =>
    entriesOf(directory)
      .filter((entry) => entry.isSymbolicLink())
      .map((entry) => join(directory, entry.name)),
  )
  const all = [...projects, ...writable]
  const known = new Map<string, boolean>() // most links pass the same few directories
  const isChangeable = (place: string) => {
    const found = known.get(place) ?? isProjectDirectory(place, all)
    known.set(place, found)
    return found
  }
  const fixed = links.slice(0, maxPrograms).filter((link) => ways.from(link, isChangeable) === undefined)
  return fixed.flatMap((link) => realPath(link) ?? [])
}

function withPrefix(directory: string, homes: readonly string[]): string {
  const prefix = dirname(directory)
  const shared = homes.flatMap((home) => readablePlaces.shared.map((name) => join(home, name)))
  const alone =
    !programDirectories.has(basename(directory)) || holdsHome(prefix, homes) || shared.includes(prefix)
  return alone ? directory : prefix
}

/** A PATH directory that is or contains the home directory would grant everything in it. */
function holdsHome(place: string, homes: readonly string[]): boolean {
  return place === '/' || homes.some((home) => isBeneath(home, place))
}

/** A PATH directory that cannot be listed needs no grant: no program in it can be found through a link. */
function entriesOf(directory: string): readonly Dirent[] {
  return tried(() => readdirSync(directory, { withFileTypes: true })) ?? []
}
