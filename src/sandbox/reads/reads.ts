import { accessSync, constants, type Dirent, readdirSync } from 'node:fs'
import { userInfo } from 'node:os'
import { basename, dirname, isAbsolute, join } from 'node:path'
import { succeeds, tried } from '../../base/errno.ts'
import { baseDirectory, homeDirectory, isBeneath, isProjectDirectory, realPath } from '../../base/paths.ts'
import type { Environment } from '../../base/types.ts'
import type { ReadablePlaces, Reads } from '../sandbox.ts'
import { repositoryOf } from '../workspace/git-directories.ts'
import { rememberedLinks, stepsOf } from '../workspace/looks.ts'
import { readablePlaces, secrets } from './places.ts'

/** What the configuration says about reading, and what the result depends on. */
interface ReadsWanted {
  readonly reads: 'everywhere' | 'workspace'
  /** Absolute paths, and the word "secrets". */
  readonly unreadable: readonly string[]
  readonly workspace: string
  /** Where secrets are searched: the workspace, or the directory around it. */
  readonly whole: string
  /** What commands of workspace mode may change besides. Real paths. */
  readonly writable: readonly string[]
  /** Where the shell may be. */
  readonly shells: readonly string[]
  /** The commands' environment. */
  readonly env: Environment
}

const word = 'secrets'

export function readsFor({ reads, unreadable, workspace, whole, writable, shells, env }: ReadsWanted): Reads {
  const withSecrets = unreadable.includes(word)
  const paths = unreadable.filter((path) => path !== word)
  return {
    readable:
      reads === 'workspace'
        ? readableFor(workspace, { projects: [workspace, whole], writable }, withPath(env, shells))
        : null,
    unreadable: withSecrets ? [...paths, ...secretPlaces(env)] : paths,
    names: withSecrets ? { beneath: whole, ...secrets.names } : null,
  }
}

/** Would keep every command from starting: contains the workspace or the shell. */
export function tooMuch(
  leadsTo: ReadonlyMap<string, string>,
  workspace: string,
  shells: readonly string[],
): string | undefined {
  const needed = [
    workspace,
    ...[...shells, '/bin/sh', '/usr/bin/env'].flatMap((program) => realPath(program) ?? []),
  ]
  for (const [path, real] of leadsTo) if (needed.some((place) => isBeneath(place, real))) return path
  return undefined
}

/** A shell may be where PATH does not lead. */
function withPath(env: Environment, shells: readonly string[]): Environment {
  return { ...env, PATH: [...(env['PATH'] ? [env['PATH']] : []), ...shells.map(dirname)].join(':') }
}

/** The home directory according to the command's environment, this process, and the system. */
function homesOf(env: Environment): readonly string[] {
  const named = [env['HOME'] ?? '', homeDirectory(), homeOfUser()]
  return [...new Set(named.filter((home) => isAbsolute(home) && home !== '/'))]
}

/** A bare user id without an entry in passwd(5) has no home directory. */
function homeOfUser(): string {
  return tried(() => userInfo().homedir) ?? ''
}

function secretPlaces(env: Environment): readonly string[] {
  const { home, macHome, config, data, state, cache, shared, system } = secrets
  const beneath = (directories: readonly string[], parts: readonly string[]) =>
    directories.flatMap((directory) => parts.map((part) => join(directory, part)))
  const homes = homesOf(env)
  // The usual places, too: a program may ignore the variable.
  const bases = (name: Parameters<typeof baseDirectory>[1]) => [
    ...new Set([env, {}].flatMap((variables) => homes.map((home) => baseDirectory(variables, name, home)))),
  ]
  const isRoot = process.getuid?.() === 0
  return [
    ...beneath(homes, [...home, ...macHome.filter((part) => canRead(join(homes[0] ?? '/', part)))]),
    ...beneath(bases('XDG_CONFIG_HOME'), config),
    ...beneath(bases('XDG_DATA_HOME'), data),
    ...beneath(bases('XDG_STATE_HOME'), state),
    ...beneath(bases('XDG_CACHE_HOME'), cache),
    ...namedByVariables(env),
    ...shared,
    ...system.filter((path) => isRoot || canRead(path)),
  ]
}

function namedByVariables(env: Environment): readonly string[] {
  return Object.entries(secrets.variables).flatMap(([variable, parts]) =>
    (env[variable] ?? '')
      .split(':')
      .filter(isAbsolute)
      .flatMap((path) => [parts].flat().map((part) => join(path, part))),
  )
}

/** ENOENT, EACCES: either way this user's commands could not read it. */
function canRead(path: string): boolean {
  return succeeds(() => accessSync(path, constants.R_OK))
}

function readableFor(workspace: string, changeable: Changeable, env: Environment): ReadablePlaces {
  const targetOf = rememberedLinks()
  const all = [...changeable.projects, ...changeable.writable]
  const places = otherPlaces(workspace, changeable, env, targetOf).map((place) => ({
    place,
    written: wayInto(place, all, targetOf),
  }))
  return {
    workspace,
    others: places.flatMap(({ place, written }) => (written === undefined ? [place] : [])),
    unlinked: places.flatMap(({ written }) => written ?? []),
  }
}

/** System, toolchains, what PATH needs, and the repository of a worktree. */
function otherPlaces(
  workspace: string,
  changeable: Changeable,
  env: Environment,
  targetOf: TargetOf,
): readonly string[] {
  const homes = homesOf(env)
  const real = homes.flatMap((home) => realPath(home) ?? [])
  const toolchains = Object.entries(readablePlaces.variables).flatMap(([variable, parts]) => {
    const named = env[variable] ?? ''
    const holdsHome = real.some((home) => isBeneath(home, named))
    // Inside a project it is readable already, and the project chooses where its links lead.
    return isAbsolute(named) && !holdsHome && !isOfProject(named, changeable.projects, targetOf)
      ? parts.map((part) => join(named, part))
      : []
  })
  return [
    ...readablePlaces.system,
    ...homes.flatMap((home) => readablePlaces.home.map((part) => join(home, part))),
    ...toolchains,
    ...placesOfPrograms(env['PATH'] ?? '', [...homes, ...real], changeable, targetOf),
    ...repositoryOf(workspace),
  ]
}

type TargetOf = ReturnType<typeof rememberedLinks>

/** The path from the first place on its way that `isThere` accepts, without links up to that place; undefined: it passes none. */
function wayFrom(path: string, isThere: (place: string) => boolean, targetOf: TargetOf): string | undefined {
  for (const { place, rest } of stepsOf(path, targetOf)) if (isThere(place)) return join(place, ...rest)
  return undefined
}

/** More programs than a PATH usually has; the rest is not looked at. */
const maxPrograms = 20_000
const programDirectories = new Set(['bin', 'sbin', 'shims', 'libexec'])

/** What commands may change, or may have changed: they choose where its links lead. */
interface Changeable {
  /** What adds nothing: it is readable already. */
  readonly projects: readonly string[]
  /** `[workspace] writable` */
  readonly writable: readonly string[]
}

/**
 * Directories of PATH and the targets of links in them; for `PREFIX/bin` all of PREFIX, unless it holds more
 * than programs. None inside a project. Where commands may write, a directory as it is named, and no targets.
 */
function placesOfPrograms(
  path: string,
  homes: readonly string[],
  changeable: Changeable,
  targetOf: TargetOf,
): readonly string[] {
  const entries = [...new Set(path.split(':').filter(isAbsolute))].filter(
    (entry) => !isOfProject(entry, changeable.projects, targetOf),
  )
  const written = entries.flatMap((entry) => wayInto(entry, changeable.writable, targetOf) ?? [])
  const directories = entries.flatMap((entry) =>
    wayInto(entry, changeable.writable, targetOf) ? [] : (realPath(entry) ?? []),
  )
  const places = new Set([...written, ...directories].map((directory) => withPrefix(directory, homes)))
  for (const program of linkedPrograms(directories, changeable, targetOf))
    places.add(withPrefix(dirname(program), homes))
  return [...places].filter((place) => !holdsHome(place, homes))
}

/** Whether a path lies in a project or passes through one. */
export function isOfProject(path: string, projects: readonly string[], targetOf: TargetOf): boolean {
  return wayFrom(path, (place) => isProjectDirectory(place, projects), targetOf) !== undefined
}

/** The path from where it enters one of these directories, without links up to there; undefined: it does not. */
function wayInto(path: string, directories: readonly string[], targetOf: TargetOf): string | undefined {
  return wayFrom(path, (place) => directories.some((directory) => isBeneath(place, directory)), targetOf)
}

function linkedPrograms(
  directories: readonly string[],
  { projects, writable }: Changeable,
  targetOf: TargetOf,
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
  const fixed = links
    .slice(0, maxPrograms)
    .filter((link) => wayFrom(link, isChangeable, targetOf) === undefined)
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
