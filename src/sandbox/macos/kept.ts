import { type Dirent, lstatSync, readdirSync, readlinkSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { tried } from '../../base/errno.ts'
import { isBeneath } from '../../base/paths.ts'
import type { Changes } from '../sandbox.ts'

/**
 * What stays as it is beneath a root of workspace mode, as regular expressions over the bytes of a real path. They begin with
 * one wildcard for each part of the root, which the rule names by a parameter: no path of the machine becomes text of the profile.
 */
export interface Kept {
  readonly root: string
  /** Protected paths with everything beneath them. */
  readonly paths: readonly string[]
  /** Directories on the way to them: not moved, removed or created, as a directory that is moved here could bring its content. */
  readonly parents: readonly string[]
  /** What lies in closed directories. */
  readonly closed: readonly string[]
  /** Directories in closed ones that lead to a protected path, as they are spelled on the disk: no patterns. */
  readonly open: readonly string[]
}

export function keptBeneath({ roots, protected: given, closed }: Changes): readonly Kept[] {
  const found = placesOf(given)
  return roots.map((root) => {
    const names = found.filter((path) => isBeneath(path, root)).map((path) => partsOf(relative(root, path)))
    const above = found.some((path) => isBeneath(root, path))
    const parents = names.flatMap((parts) => parts.slice(1).map((_, index) => parts.slice(0, index + 1)))
    const begin = `^${'/[^/]*'.repeat(partsOf(root).length)}`
    const patternOf = (parts: readonly string[]) =>
      begin + parts.map((part) => `/${anySpelling(part)}`).join('')
    const shut = closed.filter((path) => isBeneath(path, root))
    const leading = shut.flatMap((path) => found.flatMap((kept) => leadingTo(kept, path)))
    return {
      root,
      closed: shut.map((path) => `${patternOf(partsOf(relative(root, path)))}/`),
      open: unique(leading.filter((path) => !closed.includes(path))),
      paths: unique([...(above ? [begin] : []), ...names.map(patternOf)].map((pattern) => `${pattern}($|/)`)),
      parents: unique(parents.map((parts) => `${patternOf(parts)}$`)),
    }
  })
}

/** MAXSYMLINKS of macOS (sys/param.h): more is ELOOP. */
const mostLinks = 32

/** Each symbolic link on the way of a path or beneath it, and where each way ends, which need not exist. */
export function placesOf(paths: readonly string[]): string[] {
  const found = new Set<string>()
  const waiting = [...paths]
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift())
    for (const place of placesOnTheWay(path).filter((each) => !found.has(each))) {
      found.add(place)
      waiting.push(...linksBeneath(place))
    }
  return [...found]
}

/** Entries that are looked at; `otherName` refuses a directory with more. */
const mostEntries = 100_000

function linksBeneath(directory: string): string[] {
  const links: string[] = []
  const waiting = [directory]
  for (let seen = 0, path = waiting.pop(); path !== undefined && seen < mostEntries; path = waiting.pop())
    for (const entry of entriesOf(path)) {
      seen++
      if (entry.isSymbolicLink()) links.push(join(path, entry.name))
      else if (entry.isDirectory()) waiting.push(join(path, entry.name))
    }
  return links
}

function entriesOf(path: string): readonly Dirent[] {
  const isDirectory = tried(() => lstatSync(path).isDirectory())
  return (isDirectory ? tried(() => readdirSync(path, { withFileTypes: true })) : undefined) ?? []
}

function placesOnTheWay(path: string): string[] {
  const links: string[] = []
  const rest = partsOf(path)
  let at = '/'
  for (let part = rest.shift(); part !== undefined; part = rest.shift()) {
    const next = join(at, part)
    const target = links.length < mostLinks ? tried(() => readlinkSync(next)) : undefined
    if (target !== undefined) {
      links.push(next)
      rest.unshift(...partsOf(target))
    }
    at = target === undefined ? next : target.startsWith('/') ? '/' : dirname(next)
  }
  return [...links, at]
}

function partsOf(path: string): string[] {
  return path.split('/').filter((part) => part !== '')
}

function unique<Item>(items: readonly Item[]): Item[] {
  return [...new Set(items)]
}

/** The entry of the directory that leads to a deeper path. */
function leadingTo(path: string, directory: string): string[] {
  const [entry, next] = isBeneath(path, directory) ? partsOf(relative(directory, path)) : []
  return entry === undefined || next === undefined ? [] : [join(directory, entry)]
}

/** A byte outside of ASCII, and any number of them: HFS+ ignores some code points in names. */
const foreign = '[^ -~]'
const ignored = `${foreign}*`
/** Letters that code points outside of ASCII fold to, alone or in ligatures (Unicode's CaseFolding.txt: U+017F, U+212A, U+FB00 to U+FB06). */
const foldable = '[fiklstFIKLST]'

/**
 * A pattern of every name that a volume of macOS treats as equal to this one. The kernel matches an existing name as stored on
 * disk, but a new one as the caller spells it. The pattern may match more: other names with bytes outside of ASCII.
 */
function anySpelling(name: string): string {
  return [...name.matchAll(/([fiklst]{2,}|[sk])|([\x20-\x7e])|[^\x20-\x7e]+/gi)]
    .map(([, letters, character]) => {
      if (character !== undefined) return anyCase(character)
      if (letters === undefined) return '[^/]*'
      return `(${[...letters].map(anyCase).join('')}|${foldable}*${foreign}(${foldable}|${foreign})*)`
    })
    .join('')
}

/** A character that is special in a regular expression, or could end it, becomes a wildcard. */
function anyCase(character: string): string {
  if (/[a-z]/i.test(character)) return `[${character.toLowerCase()}${character.toUpperCase()}]${ignored}`
  return (/[\w-]/.test(character) ? character : character === '.' ? '\\.' : '[^/]') + ignored
}

/** Entries examined in protected directories. */
const mostLookedAt = 100_000

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
    if (seen > mostLookedAt) return { path, why: 'too-many' }
    const status = lstatSync(path, { throwIfNoEntry: false })
    if (status?.isDirectory()) waiting.push(...filesOf(path))
    if (!status?.isFile() || status.nlink < 2) continue
    const key = `${status.dev}:${status.ino}`
    const file = files.get(key) ?? { path, links: status.nlink, found: new Set() }
    file.found.add(path)
    files.set(key, file)
  }
  const linked = [...files.values()].find(({ links, found }) => found.size < links)
  return linked && { path: linked.path, why: 'links' }
}

function filesOf(directory: string): string[] {
  const entries: Dirent[] = tried(() => readdirSync(directory, { withFileTypes: true })) ?? []
  return entries
    .filter((entry) => entry.isDirectory() || entry.isFile())
    .map((entry) => join(directory, entry.name))
}
