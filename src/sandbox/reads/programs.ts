import { type Dirent, readdirSync } from 'node:fs'
import { basename, dirname, isAbsolute, join } from 'node:path'
import { tried } from '../../base/errno.ts'
import { isBeneath, realPath } from '../../base/paths.ts'
import { isProjectDirectory } from '../../base/program-path.ts'
import { readablePlaces } from './readable-places.ts'

/** More programs than a PATH usually has; the rest is not looked at. */
const maxPrograms = 20_000
const programDirectories = new Set(['bin', 'sbin', 'shims', 'libexec'])

/**
 * Directories of PATH and the targets of links in them; for `PREFIX/bin` all of PREFIX, unless it holds more
 * than programs. None inside a project, which chooses where its links lead.
 */
export function placesOfPrograms(
  path: string,
  homes: readonly string[],
  projects: readonly string[],
): readonly string[] {
  const directories = [...new Set(path.split(':').filter(isAbsolute))].flatMap((entry) => {
    const real = realPath(entry)
    return real === undefined || isOfProject(entry, projects) ? [] : [real]
  })
  const places = new Set(directories.map((directory) => withPrefix(directory, homes)))
  for (const program of linkedPrograms(directories)) places.add(withPrefix(dirname(program), homes))
  return [...places].filter((place) => !holdsHome(place, homes))
}

/** Whether a path lies in a project or passes through one: the project then chooses where its links lead. */
export function isOfProject(path: string, projects: readonly string[]): boolean {
  for (let at = path; ; at = dirname(at)) {
    if ([at, realPath(at) ?? at].some((place) => isProjectDirectory(place, projects))) return true
    if (dirname(at) === at) return false
  }
}

function linkedPrograms(directories: readonly string[]): readonly string[] {
  const links = directories.flatMap((directory) =>
    entriesOf(directory)
      .filter((entry) => entry.isSymbolicLink())
      .map((entry) => join(directory, entry.name)),
  )
  return links.slice(0, maxPrograms).flatMap((link) => realPath(link) ?? [])
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
