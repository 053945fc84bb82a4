import { accessSync, constants, readdirSync } from 'node:fs'
import { basename, dirname, isAbsolute, join } from 'node:path'
import { succeeds, tried } from '../../base/errno.ts'
import {
  baseDirectory,
  homeDirectory,
  isBeneath,
  isProjectDirectory,
  passwdHome,
  realPath,
} from '../../base/paths.ts'
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

export function readsFor(wanted: ReadsWanted): Reads {
  const { unreadable, whole: beneath, env } = wanted
  const paths = unreadable.filter((path) => path !== word)
  const withSecrets = paths.length < unreadable.length
  return {
    readable: wanted.reads === 'workspace' ? new Readable(wanted).places() : null,
    unreadable: withSecrets ? [...paths, ...secretPlaces(env)] : paths,
    names: withSecrets ? { beneath, ...secrets.names } : null,
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

/** The home directory according to the command's environment, this process, and the system. */
function homesOf(env: Environment): readonly string[] {
  const named = [env['HOME'] ?? '', homeDirectory(), passwdHome() ?? '']
  return [...new Set(named.filter((home) => isAbsolute(home) && home !== '/'))]
}

function secretPlaces(env: Environment): readonly string[] {
  const { home, macHome, shared, system } = secrets
  const beneath = (directories: readonly string[], parts: readonly string[]) =>
    directories.flatMap((directory) => parts.map((part) => join(directory, part)))
  const homes = homesOf(env)
  // The usual places, too: a program may ignore the variable.
  const inBase = (name: Parameters<typeof baseDirectory>[1], parts: readonly string[]) => {
    const bases = [env, {}].flatMap((each) => homes.map((at) => baseDirectory(each, name, at)))
    return beneath([...new Set(bases)], parts)
  }
  const isRoot = process.getuid?.() === 0
  const named = Object.entries(secrets.variables).flatMap(([variable, parts]) =>
    beneath((env[variable] ?? '').split(':').filter(isAbsolute), [parts].flat()),
  )
  return [
    ...beneath(homes, [...home, ...macHome.filter((part) => canRead(join(homes[0] ?? '/', part)))]),
    ...inBase('XDG_CONFIG_HOME', secrets.config),
    ...inBase('XDG_DATA_HOME', secrets.data),
    ...inBase('XDG_STATE_HOME', secrets.state),
    ...inBase('XDG_CACHE_HOME', secrets.cache),
    ...named,
    ...shared,
    ...system.filter((path) => isRoot || canRead(path)),
  ]
}

/** ENOENT, EACCES: either way this user's commands could not read it. */
function canRead(path: string): boolean {
  return succeeds(() => accessSync(path, constants.R_OK))
}

/** More programs than a PATH usually has; the rest is not looked at. */
const maxPrograms = 20_000
const programDirectories = new Set(['bin', 'sbin', 'shims', 'libexec'])

/**
 * What `reads = "workspace"` opens besides. Commands may change projects and `[workspace] writable`, or may have: they choose where
 * links there lead, so that none of these is followed.
 */
class Readable {
  readonly #wanted: ReadsWanted
  /** What adds nothing: it is readable already. */
  readonly #projects: readonly string[]
  /** As they are named, and real. */
  readonly #homes: readonly string[]
  readonly #targetOf = rememberedLinks()
  /** Most links pass the same few directories. */
  readonly #changeable = new Map<string, boolean>()

  constructor(wanted: ReadsWanted) {
    this.#wanted = wanted
    this.#projects = [wanted.workspace, wanted.whole]
    const homes = homesOf(wanted.env)
    this.#homes = [...new Set([...homes, ...homes.flatMap((home) => realPath(home) ?? [])])]
  }

  places(): ReadablePlaces {
    const { workspace, writable } = this.#wanted
    const [others, unlinked]: [string[], string[]] = [[], []]
    const changeable = [...this.#projects, ...writable]
    for (const place of this.#all()) {
      const written = this.#wayInto(place, changeable)
      if (written === undefined) others.push(place)
      else unlinked.push(written)
    }
    return { workspace, others, unlinked }
  }

  /** System, toolchains, what PATH needs, and the repository of a worktree. */
  #all(): readonly string[] {
    const { env, workspace } = this.#wanted
    const toolchains = Object.entries(readablePlaces.variables).flatMap(([variable, parts]) => {
      const named = env[variable] ?? ''
      const isOpened = isAbsolute(named) && !this.#holdsHome(named) && !this.#isOfProject(named)
      return isOpened ? parts.map((part) => join(named, part)) : []
    })
    return [
      ...readablePlaces.system,
      ...this.#homes.flatMap((home) => readablePlaces.home.map((part) => join(home, part))),
      ...toolchains,
      ...this.#placesOfPrograms(),
      ...repositoryOf(workspace),
    ]
  }

  /**
   * Directories of PATH, and of the shell, and the targets of links in them; for `PREFIX/bin` all of PREFIX, unless it holds more than
   * programs. None inside a project. Where commands may write, a directory as it is named, and no targets.
   */
  #placesOfPrograms(): readonly string[] {
    const { env, shells, writable } = this.#wanted
    const entries = [...(env['PATH'] ?? '').split(':').filter(isAbsolute), ...shells.map(dirname)]
    const places = new Set<string>()
    const links: string[] = []
    for (const entry of new Set(entries)) {
      if (this.#isOfProject(entry)) continue
      const written = this.#wayInto(entry, writable)
      const directory = written ?? realPath(entry)
      if (directory === undefined) continue
      places.add(this.#withPrefix(directory))
      if (written === undefined) links.push(...linksIn(directory))
    }
    for (const link of links.slice(0, maxPrograms)) {
      const program = this.#wayFrom(link, this.#isChangeable) === undefined ? realPath(link) : undefined
      if (program !== undefined) places.add(this.#withPrefix(dirname(program)))
    }
    return [...places].filter((place) => !this.#holdsHome(place))
  }

  readonly #isChangeable = (place: string): boolean => {
    const known = this.#changeable.get(place)
    const found = known ?? isProjectDirectory(place, [...this.#projects, ...this.#wanted.writable])
    this.#changeable.set(place, found)
    return found
  }

  /** Whether a path lies in a project or passes through one. */
  #isOfProject(path: string): boolean {
    return this.#wayFrom(path, (place) => isProjectDirectory(place, this.#projects)) !== undefined
  }

  /** The path from where it enters one of these directories, without links up to there; undefined: it does not. */
  #wayInto(path: string, directories: readonly string[]): string | undefined {
    return this.#wayFrom(path, (place) => directories.some((directory) => isBeneath(place, directory)))
  }

  /** The path from the first place on its way that `isThere` accepts, without links up to that place; undefined: it passes none. */
  #wayFrom(path: string, isThere: (place: string) => boolean): string | undefined {
    for (const { place, rest } of stepsOf(path, this.#targetOf))
      if (isThere(place)) return join(place, ...rest)
    return undefined
  }

  #withPrefix(directory: string): string {
    const prefix = dirname(directory)
    const shared = this.#homes.some((home) =>
      readablePlaces.shared.some((name) => join(home, name) === prefix),
    )
    const isAlone = !programDirectories.has(basename(directory)) || this.#holdsHome(prefix) || shared
    return isAlone ? directory : prefix
  }

  /** Such a directory of PATH would grant everything at home. */
  #holdsHome(place: string): boolean {
    return place === '/' || this.#homes.some((home) => isBeneath(home, place))
  }
}

/** A PATH directory that cannot be listed needs no grant: no program in it can be found through a link. */
function linksIn(directory: string): readonly string[] {
  const entries = tried(() => readdirSync(directory, { withFileTypes: true })) ?? []
  return entries.filter((entry) => entry.isSymbolicLink()).map(({ name }) => join(directory, name))
}
