import { realpathSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { tried } from '../../base/errno.ts'
import { ownPrograms, protectedIfThere, protectedInWorkspace } from '../../base/obeyed-names.ts'
import { isBeneath, realPath } from '../../base/paths.ts'
import { visible } from '../../base/text.ts'
import type { Changes, PathStates } from '../sandbox.ts'
import { type GitPlaces, gitPlacesOf } from './git.ts'
import { obeyedInGit } from './git-directories.ts'
import { Looks, type Unfit } from './looks.ts'
import { linkedPlaces, type Obeyed, obeyedAround, obeyedIn } from './obeyed.ts'
import type { Repositories } from './repositories.ts'

export interface ChangesWanted {
  /** Absolute real path. */
  readonly workspace: string
  /** What an untrusted project file has narrowed to the workspace: what is protected in it stays so. A real path. */
  readonly whole?: string
  /** Absolute paths. */
  readonly writable: readonly string[]
  /** Relative to the workspace or absolute, and the word "default". */
  readonly protected: readonly string[]
  /** Of the built-in list: what commands may make where it is absent. Default: none. */
  readonly new?: readonly string[]
  /** The user's own configuration files of git; they need not exist. */
  readonly gitConfigs: readonly string[]
  /** Those of the workspace. Absent: only what git's index and a look at its top tell. */
  readonly repositories?: Repositories
  /** `[workspace] on_protected = "ask"`. Default: false. */
  readonly asks?: boolean
  readonly own: Own
}

/** No root may contain one of these directories, or lie in one other than a home directory. */
interface Own {
  readonly home: string
  /** Further home directories: passwd(5) names another than HOME. */
  readonly homes?: readonly string[]
  /** What programs outside obey: no root may lie in it. */
  readonly obeyed?: readonly Obeyed[]
  /** Vitrine's configuration and state. */
  readonly others: readonly string[]
  /** Configuration files and the audit log: protected where they lie in a root, whatever `protected` says. */
  readonly files?: readonly string[]
  /** The package that runs; a bundle has none. */
  readonly package?: string | undefined
}

const word = 'default'

/** @param linked of linkedPlaces */
export function changesFor(
  wanted: ChangesWanted,
  linked: readonly string[],
  looks = new Looks(),
): Changes | Unfit {
  const { workspace, own, whole = workspace } = wanted
  const listed = wanted.writable.filter((path) => path === workspace || looks.status(path))
  for (const path of [workspace, ...listed]) refuseUnfit(path, wanted, looks)
  if (looks.unfit) return looks.unfit
  const known = wanted.repositories?.known(looks)
  const inside = guardedIn(workspace, listed, wanted, known?.tops ?? [], looks)
  const around = whole === workspace ? nothing : guardedIn(whole, [workspace, ...listed], wanted, [], looks)
  if (isGuarded(workspace, around))
    looks.refuse(workspace, 'which lies in what is protected outside of the project file', elsewhere)
  if (looks.unfit) return looks.unfit
  const roots: Changes['roots'] = [workspace, ...listed, ...inside.writable]
  const files = own.files?.flatMap((file) => roots.flatMap((root) => placeIn(root, file, looks))) ?? []
  const obeyed = obeyedIn(roots, own.obeyed ?? [], linked)
  return {
    roots,
    protected: [...new Set([...inside.protected, ...around.protected, ...files, ...obeyed])],
    closed: [...new Set([...inside.closed, ...around.closed])],
    unmade: inside.unmade,
    asks: wanted.asks ?? false,
    lacks: known?.lacks,
  }
}

const nothing: GitPlaces = { writable: [], protected: [], closed: [], unmade: [] }

/** What is protected where `top` is the workspace. */
function guardedIn(
  top: string,
  others: readonly string[],
  { protected: given, own, gitConfigs: configs, new: makeable = [] }: ChangesWanted,
  known: readonly string[],
  looks: Looks,
): GitPlaces {
  const git = gitPlacesOf([top, ...others], { home: own.home, configs, looks, known })
  const listed = given.filter((path) => path !== word).map((path) => resolve(top, path))
  if (!given.includes(word)) return { writable: git.writable, protected: listed, closed: [], unmade: [] }
  const projects = [top, ...others.filter((root) => looks.kind(join(root, '.git')) !== 'none')]
  const isOpen = (root: string, name: string) =>
    makeable.includes(name) && looks.kind(join(root, name)) === 'none'
  const usual = projects.flatMap((root) => [
    ...protectedInWorkspace.filter((name) => !isOpen(root, name)).map((name) => join(root, name)),
    ...thereIn(root, looks),
  ])
  const programs = ownProgramsIn(top, own.package, looks)
  return { ...git, protected: [...usual, ...git.protected, ...programs, ...listed] }
}

/** The file's path in the root, where it lies in it: its own path may lead there through another mount, or another spelling. */
function placeIn(root: string, file: string, looks: Looks): readonly string[] {
  if (isBeneath(file, root)) return [file]
  const top = looks.status(root)
  for (let at = dirname(file); ; at = dirname(at)) {
    const status = tried(() => statSync(at))
    if (status && status.ino === top?.ino && status.dev === top.dev) return [join(root, relative(at, file))]
    if (at === dirname(at)) return []
  }
}

/** A root in a protected place would open it. */
function isGuarded(root: string, { protected: places, closed }: GitPlaces): boolean {
  return [...places, ...closed].some(
    (place) => isBeneath(root, place) || isBeneath(root, realPath(place) ?? place),
  )
}

function thereIn(top: string, looks: Looks): readonly string[] {
  const names = [...(looks.entries(top)?.keys() ?? [])]
  const there = protectedIfThere.flatMap((name) => {
    if (name.startsWith('*')) return names.filter((each) => each.endsWith(name.slice(1)))
    return looks.kind(join(top, name)) === 'none' ? [] : [name]
  })
  return there.map((path) => join(top, path))
}

/** A command that changed them would control the next one. A workspace in the package itself is a checkout of vitrine. */
function ownProgramsIn(workspace: string, own: string | undefined, looks: Looks): readonly string[] {
  const installed = ownPrograms.map((path) => join(workspace, path))
  return [
    ...installed.filter((path) => looks.kind(path) !== 'none'),
    ...(own !== undefined && own !== workspace && isBeneath(own, workspace) ? [own] : []),
  ]
}

const elsewhere = 'start in a project, name one with --workspace, or use write mode'

function refuseUnfit(path: string, { workspace, own }: ChangesWanted, looks: Looks): void {
  const isWorkspace = path === workspace
  const reason = isWorkspace && isBeneath(path, '/dev') ? devices : unfit(path, own, looks)
  // The directory that is meant may be named in PATH: a workspace itself is taken for a project there.
  const places = (own.obeyed ?? []).filter(({ isFlat }) => !(isFlat && isWorkspace))
  const obeyed = reason ? undefined : (obeyedAround(path, places) ?? obeyedInGit(path, looks))
  const why = obeyed ? obeyedReason(path, obeyed) : reason
  const remedy = isWorkspace ? elsewhere : 'take it out of [workspace] writable, or change it in write mode'
  if (why !== undefined) looks.refuse(path, why, remedy)
}

const devices = 'which lies in /dev, where sandboxed commands can read no files'

function obeyedReason(path: string, { path: place, by }: Obeyed): string {
  const way = place === path ? '' : `which lies in ${visible(place)}, `
  return `${way}where programs outside the sandbox obey what they find (${by})`
}

function unfit(path: string, own: Own, looks: Looks): string | undefined {
  const kind = looks.kind(path)
  if (kind === 'none') return 'which does not exist'
  looks.ancestorsOf(path)
  if (tried(() => realpathSync(path)) !== path) return 'with a symbolic link on the way to it'
  return kind === 'directory' ? tooWide(path, own) : 'which is not a directory'
}

/** Why no root may have this real path. */
export function tooWide(path: string, { home, homes = [], others }: Own): string | undefined {
  if (path === '/') return 'which is the root of the file system'
  if ([home, ...homes].some((each) => isBeneath(each, path))) return 'which is, or holds, the home directory'
  const isOwn = others.some((own) => isBeneath(own, path) || isBeneath(path, own))
  return isOwn ? 'which holds, or lies in, the configuration or the state of vitrine' : undefined
}

/** What changesFor finds, as of each call. */
export function rememberedChanges(
  wanted: ChangesWanted,
  states: PathStates | undefined,
): () => Changes | Unfit {
  const { workspace, own } = wanted
  // By itself: a command of git changes the repository, and what lies at home is large and stays.
  const linked = remembered(states, (looks) => linkedPlaces(workspace, own.obeyed ?? [], looks))
  const changes = remembered(states, (looks, links: readonly string[]) => changesFor(wanted, links, looks))
  return () => changes(linked(undefined))
}

/**
 * Searches again unless the input and all paths that the last search asked about are as they were before it. The states of the paths
 * are recorded before a search, and an earlier search has to find the paths: so the first two calls both search.
 */
function remembered<Input, Found extends object>(
  states: PathStates | undefined,
  search: (looks: Looks, input: Input) => Found,
): (input: Input) => Found {
  let known: Looks | undefined
  let last: { readonly input: Input; readonly found: Found; readonly snapshot: unknown } | undefined
  return (input) => {
    if (last && last.input === input && states?.unchanged(last.snapshot)) return last.found
    const snapshot = known && states?.snapshot([...known.above], [...known.paths])
    const looks = new Looks()
    const found = search(looks, input)
    const isWhole = looks.isComplete && !looks.unfit && known !== undefined && areSame(looks, known)
    last = snapshot && isWhole ? { input, found, snapshot } : undefined
    known = looks
    return found
  }
}

function areSame(one: Looks, other: Looks): boolean {
  const isIn = (paths: Set<string>, others: Set<string>) =>
    paths.size === others.size && [...paths].every((path) => others.has(path))
  return isIn(one.paths, other.paths) && isIn(one.above, other.above)
}
