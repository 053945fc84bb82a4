import { accessSync, constants } from 'node:fs'
import { userInfo } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'
import { succeeds, tried } from '../../base/errno.ts'
import { baseDirectory, homeDirectory, isBeneath, realPath } from '../../base/paths.ts'
import type { Environment } from '../../base/types.ts'
import type { ReadablePlaces, Reads } from '../sandbox.ts'
import { repositoryOf } from '../workspace/git-directories.ts'
import { readablePlaces, secrets } from './places.ts'
import { type Changeable, isOfProject, placesOfPrograms, Ways, wayInto } from './programs.ts'

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
  const ways = new Ways()
  const all = [...changeable.projects, ...changeable.writable]
  const places = otherPlaces(workspace, changeable, env, ways).map((place) => ({
    place,
    written: wayInto(place, all, ways),
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
  ways: Ways,
): readonly string[] {
  const homes = homesOf(env)
  const real = homes.flatMap((home) => realPath(home) ?? [])
  const toolchains = Object.entries(readablePlaces.variables).flatMap(([variable, parts]) => {
    const named = env[variable] ?? ''
    const holdsHome = real.some((home) => isBeneath(home, named))
    // Inside a project it is readable already, and the project chooses where its links lead.
    return isAbsolute(named) && !holdsHome && !isOfProject(named, changeable.projects, ways)
      ? parts.map((part) => join(named, part))
      : []
  })
  return [
    ...readablePlaces.system,
    ...homes.flatMap((home) => readablePlaces.home.map((part) => join(home, part))),
    ...toolchains,
    ...placesOfPrograms(env['PATH'] ?? '', [...homes, ...real], changeable, ways),
    ...repositoryOf(workspace),
  ]
}
