import { type Dirent, lstatSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { tried } from '../../base/errno.ts'
import { packageFile } from '../../base/package-file.ts'
import { isBeneath, realPath } from '../../base/paths.ts'
import type { NetworkKind } from '../../network/access.ts'
import type { Changes, UnreadableNames } from '../sandbox.ts'
import { stepsOf } from '../workspace/looks.ts'

export interface ProfileOptions {
  readonly network: NetworkKind
  /** With `hosts`: the only port of this machine that can be connected to. */
  readonly proxyPort?: number
  /** The only readable places besides the system's. Default: all files are readable. */
  readonly readable?: readonly string[]
  /** Files and directories whose contents stay unreadable, even in readable places. */
  readonly unreadable?: readonly string[]
  /** Files that cannot be read because of their names. `skip` is ignored: here a search costs nothing. */
  readonly names?: UnreadableNames | null
  readonly privateTmp?: string
  /** Workspace mode: its roots, and what stays as it is in them. */
  readonly changes?: readonly Kept[]
}

interface Profile {
  readonly text: string
  readonly parameters: Readonly<Record<string, string>>
}

/** The prefix that makes a command run under the profile. */
export function wrapperOf(tool: string, { text, parameters }: Profile): [string, ...string[]] {
  const values = Object.entries(parameters).map(([name, value]) => `-D${name}=${value}`)
  return [tool, '-p', text, ...values, '--']
}

/** Builds the profile from sections of macos.sbpl. The last matching rule decides, so denials come last. */
export function seatbeltProfile(options: ProfileOptions): Profile {
  const writer = new ProfileWriter()
  writer.add('always')
  if (options.readable) {
    writer.add('reads-listed')
    for (const path of options.readable) writer.add('readable', path)
  }
  if (options.privateTmp !== undefined) writer.add('private-tmp', options.privateTmp)
  if (options.names) addNames(writer, options.names, options)
  if (options.changes) addChanges(writer, options.changes, options.names)
  for (const path of options.unreadable ?? []) writer.add('unreadable', path)
  writer.add(options.network === 'all' ? 'network-on' : 'network-off')
  if (options.proxyPort !== undefined) writer.add('network-proxy', undefined, String(options.proxyPort))
  return writer.profile()
}

/** In workspace mode also where a directory could be moved to. */
function addNames(
  writer: ProfileWriter,
  { beneath, patterns, except }: UnreadableNames,
  { changes, privateTmp }: ProfileOptions,
): void {
  const others = changes ? [...changes.map(({ root }) => root), ...(privateTmp ? [privateTmp] : [])] : []
  for (const place of new Set([beneath, ...others])) {
    for (const pattern of patterns) writer.add('unreadable-name', place, namePattern(pattern))
    for (const pattern of except) writer.add('readable-name', place, namePattern(pattern))
  }
}

/** All that is granted comes first: a root may lie in another one. */
function addChanges(
  writer: ProfileWriter,
  kept: readonly Kept[],
  names: UnreadableNames | null | undefined,
): void {
  const roots = new Set(kept.map(({ root }) => root))
  for (const root of roots) writer.add('workspace-open', root)
  for (const root of roots) {
    for (const name of names?.patterns ?? []) writer.add('workspace-unreadable-name', root, namePattern(name))
    for (const name of names?.except ?? []) writer.add('workspace-readable-name', root, namePattern(name))
  }
  for (const { root, closed } of kept)
    for (const pattern of closed) writer.add('workspace-kept', root, pattern)
  for (const path of kept.flatMap(({ open }) => open)) writer.add('workspace-open', path)
  writer.add('workspace-always')
  for (const { root, paths, parents } of kept) {
    writer.add('workspace-root-stays', root)
    for (const pattern of parents) writer.add('workspace-parent', root, pattern)
    for (const pattern of paths) writer.add('workspace-kept', root, pattern)
  }
}

/** As the end of a path regex. Throws on syntax that may not mean the same in both. */
function namePattern(pattern: string): string {
  if (!/^[\w.*?-]+$/.test(pattern)) throw new Error(`a name that macOS cannot hold: ${pattern}`)
  return pattern.replaceAll('.', '\\.').replaceAll('*', '[^/]*').replaceAll('?', '[^/]')
}

class ProfileWriter {
  readonly #sections = readSections()
  readonly #parts: string[] = []
  /** Names by path. */
  readonly #parameters = new Map<string, string>()

  add(name: string, path?: string, pattern = ''): void {
    const section = this.#sections.get(name)
    if (section === undefined) throw new Error(`macos.sbpl has no section ${name}`)
    const parameter = path === undefined ? '' : this.#parameterFor(placeOf(path))
    this.#parts.push(section.replaceAll('"PATH"', `"${parameter}"`).replaceAll('NAME', () => pattern))
  }

  profile(): Profile {
    const parameters = Object.fromEntries([...this.#parameters].map(([path, name]) => [name, path]))
    return { text: this.#parts.join(''), parameters }
  }

  #parameterFor(path: string): string {
    const name = this.#parameters.get(path) ?? `PATH_${this.#parameters.size}`
    this.#parameters.set(path, name)
    return name
  }
}

/** Rules match real paths (/tmp is /private/tmp) in the disk's own case; a missing one is resolved from its nearest parent. */
function placeOf(path: string): string {
  const parent = dirname(path)
  return realPath(path) ?? (parent === path ? path : join(placeOf(parent), basename(path)))
}

function readSections(): Map<string, string> {
  const [, ...sections] = readFileSync(packageFile('src/sandbox/macos.sbpl'), 'utf8').split(/^;@ /m)
  return new Map(
    sections.map((section) => {
      const [name = '', ...lines] = section.split('\n')
      const rules = lines.filter((line) => line.trim() !== '' && !line.startsWith(';'))
      return [name.trim(), `${rules.join('\n')}\n`]
    }),
  )
}

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

export function keptBeneath({ roots, protected: given, closed, unmade }: Changes): readonly Kept[] {
  const found = placesOf([...given, ...unmade])
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
  const steps = [...stepsOf(path)].map(({ place, target }) => ({ place, isLink: target !== undefined }))
  return steps.filter(({ isLink }, at) => isLink || at === steps.length - 1).map(({ place }) => place)
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
    if (status?.isDirectory())
      for (const entry of entriesOf(path))
        if (entry.isDirectory() || entry.isFile()) waiting.push(join(path, entry.name))
    if (!status?.isFile() || status.nlink < 2) continue
    const key = `${status.dev}:${status.ino}`
    const file = files.get(key) ?? { path, links: status.nlink, found: new Set() }
    file.found.add(path)
    files.set(key, file)
  }
  const linked = [...files.values()].find(({ links, found }) => found.size < links)
  return linked && { path: linked.path, why: 'links' }
}
