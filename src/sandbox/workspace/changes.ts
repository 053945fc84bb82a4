import { realpathSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { tried } from '../../base/errno.ts'
import { isBeneath, realPath } from '../../base/paths.ts'
import type { Changes, PathStates } from '../sandbox.ts'
import { type GitPlaces, gitPlacesOf } from './git.ts'
import { obeyedInGit } from './git-directories.ts'
import { Looks, type Unprotectable } from './looks.ts'
import { linkedPlaces, type Obeyed, obeyedAround, obeyedIn } from './obeyed.ts'
import { ownPrograms, protectedIfThere, protectedInWorkspace } from './obeyed-names.ts'
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
  /** The user's own configuration files of git; they need not exist. */
  readonly gitConfigs: readonly string[]
  /** Those of the workspace. Absent: only what git's index and a look at its top tell. */
  readonly repositories?: Repositories
  /** `[workspace] on_protected = "ask"`. Default: false. */
  readonly asks?: boolean
  /** HOME, and vitrine's own configuration and state. No root may contain one of them, or lie in one other than HOME. */
  readonly own: {
    readonly home: string
    /** Further home directories: passwd(5) names another than HOME. */
    readonly homes?: readonly string[]
    /** What programs outside obey: no root may lie in it. */
    readonly obeyed?: readonly Obeyed[]
    readonly others: readonly string[]
    /** Configuration files and the audit log: protected where they lie in a root, whatever `protected` says. */
    readonly files?: readonly string[]
    /** The package that runs; a bundle has none. */
    readonly package?: string | undefined
  }
}

/** Why a directory cannot be opened to changes. */
type UnfitRoot =
  | 'root'
  | 'home'
  | 'own'
  | 'devices'
  | 'link'
  | 'missing'
  | 'file'
  | 'protected'
  | Unprotectable['why']
  | 'obeyed'

export interface UnfitRootFound {
  readonly path: string
  readonly why: UnfitRoot
  /** An entry of `[workspace] writable`, not the workspace itself. */
  readonly listed: boolean
  /** Why it is `obeyed`. */
  readonly obeyed?: Obeyed
}

const word = 'default'

/** @param linked of linkedPlaces */
export function changesFor(
  wanted: ChangesWanted,
  linked: readonly string[],
  looks = new Looks(),
): Changes | UnfitRootFound {
  const { workspace, writable } = wanted
  const given = [workspace, ...writable.filter((path) => path === workspace || looks.status(path))]
  for (const path of given) {
    const why = path === workspace && isBeneath(path, '/dev') ? 'devices' : unfit(path, wanted.own, looks)
    if (why) return { path, why, listed: path !== workspace }
    const obeyed = obeyedRoot(path, wanted, looks)
    if (obeyed) return { path, why: 'obeyed', listed: path !== workspace, obeyed }
  }
  const known = wanted.repositories?.known(looks)
  const inside = guardedIn(workspace, given.slice(1), { ...wanted, known: known?.tops ?? [] }, looks)
  const { whole = workspace } = wanted
  const around = whole === workspace ? nothing : guardedIn(whole, given, { ...wanted, known: [] }, looks)
  if (looks.unprotectable) return { ...looks.unprotectable, listed: false }
  if (isGuarded(workspace, around)) return { path: workspace, why: 'protected', listed: false }
  const roots: Changes['roots'] = [workspace, ...given.slice(1), ...inside.writable]
  const files = wanted.own.files?.flatMap((file) => roots.flatMap((root) => placeIn(root, file, looks))) ?? []
  return {
    roots,
    protected: [
      ...new Set([
        ...inside.protected,
        ...around.protected,
        ...files,
        ...obeyedIn(roots, wanted.own.obeyed ?? [], linked),
      ]),
    ],
    closed: [...new Set([...inside.closed, ...around.closed])],
    asks: wanted.asks ?? false,
    lacks: known?.lacks,
  }
}

const nothing: GitPlaces = { writable: [], protected: [], closed: [] }

/** What is protected where `top` is the workspace. */
function guardedIn(
  top: string,
  others: readonly string[],
  {
    protected: given,
    own,
    gitConfigs: configs,
    known,
  }: ChangesWanted & { readonly known: readonly string[] },
  looks: Looks,
): GitPlaces {
  const git = gitPlacesOf([top, ...others], { home: own.home, configs, looks, known })
  const listed = given.filter((path) => path !== word).map((path) => resolve(top, path))
  if (!given.includes(word)) return { writable: git.writable, protected: listed, closed: [] }
  const projects = [top, ...others.filter((root) => looks.kind(join(root, '.git')) !== 'none')]
  const usual = projects.flatMap((root) => [
    ...protectedInWorkspace.map((path) => join(root, path)),
    ...thereIn(root, looks),
  ])
  const programs = ownProgramsIn(top, own.package, looks)
  return { ...git, protected: [...usual, ...git.protected, ...programs, ...listed] }
}

/** The file's path in the root, where it lies in it: its own path may lead there through another mount, or another spelling. */
function placeIn(root: string, file: string, looks: Looks): readonly string[] {
  if (isBeneath(file, root)) return [file]
  const top = looks.status(root)
  const same = above(file).find((at) => {
    const status = tried(() => statSync(at))
    return status && status.ino === top?.ino && status.dev === top.dev
  })
  return same === undefined ? [] : [join(root, relative(same, file))]
}

function above(path: string): readonly string[] {
  const parent = dirname(path)
  return parent === path ? [] : [parent, ...above(parent)]
}

/** A root in a protected place would open it. */
function isGuarded(root: string, { protected: places, closed }: GitPlaces): boolean {
  return [...places, ...closed].some(
    (place) => isBeneath(root, place) || isBeneath(root, realPath(place) ?? place),
  )
}

function thereIn(top: string, looks: Looks): readonly string[] {
  const [suffixes, paths] = [true, false].map((is) =>
    protectedIfThere.filter((name) => name.startsWith('*') === is),
  )
  const suffixed = [...looks.names(top)].filter((name) =>
    suffixes?.some((each) => name.endsWith(each.slice(1))),
  )
  const there = paths?.filter((path) => looks.kind(join(top, path)) !== 'none') ?? []
  return [...suffixed, ...there].map((path) => join(top, path))
}

/** A command that changed them would control the next one. A workspace in the package itself is a checkout of vitrine. */
function ownProgramsIn(workspace: string, own: string | undefined, looks: Looks): readonly string[] {
  const installed = ownPrograms.map((path) => join(workspace, path))
  return [
    ...installed.filter((path) => looks.kind(path) !== 'none'),
    ...(own !== undefined && own !== workspace && isBeneath(own, workspace) ? [own] : []),
  ]
}

/** The directory that is meant may be named in PATH: a workspace itself is taken for a project there. */
function obeyedRoot(path: string, { workspace, own }: ChangesWanted, looks: Looks): Obeyed | undefined {
  const places = (own.obeyed ?? []).filter(({ isFlat }) => !(isFlat && path === workspace))
  return obeyedAround(path, places) ?? obeyedInGit(path, looks)
}

function unfit(path: string, own: ChangesWanted['own'], looks: Looks): UnfitRoot | undefined {
  const kind = looks.kind(path)
  if (kind === 'none') return 'missing'
  looks.ancestorsOf(path)
  if (tried(() => realpathSync(path)) !== path) return 'link'
  if (kind !== 'directory') return 'file'
  return tooWide(path, own)
}

/** Why no root may have this real path. */
export function tooWide(
  path: string,
  { home, homes = [], others }: ChangesWanted['own'],
): UnfitRoot | undefined {
  if (path === '/') return 'root'
  if ([home, ...homes].some((each) => isBeneath(each, path))) return 'home'
  return others.some((own) => isBeneath(own, path) || isBeneath(path, own)) ? 'own' : undefined
}

/** What changesFor finds, as of each call. */
export function rememberedChanges(
  wanted: ChangesWanted,
  states: PathStates | undefined,
): () => Changes | UnfitRootFound {
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
    const isWhole = looks.isComplete && known !== undefined && areSame(looks, known)
    last = snapshot && isWhole && !('why' in found) ? { input, found, snapshot } : undefined
    known = looks
    return found
  }
}

function areSame(one: Looks, other: Looks): boolean {
  const isIn = (paths: Set<string>, others: Set<string>) =>
    paths.size === others.size && [...paths].every((path) => others.has(path))
  return isIn(one.paths, other.paths) && isIn(one.above, other.above)
}
