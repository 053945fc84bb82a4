import { accessSync, constants, existsSync, lstatSync, readFileSync, readlinkSync, statSync } from 'node:fs'
import { dirname, isAbsolute, join } from 'node:path'
import { succeeds, tried } from '../../base/errno.ts'
import { realPath } from '../../base/paths.ts'
import type { Environment } from '../../base/types.ts'
import { entriesIn, placed } from './git-config.ts'
import { Looks } from './looks.ts'

interface GitUser {
  readonly env: Environment
  readonly home: string
  /** The system's configuration and the user's, in git's order. */
  readonly configs: readonly string[]
}

interface WorkTree {
  readonly top?: string
  /** A directory with the remains of a repository of this user's: commands can break one, but not remove its configuration. */
  readonly lost?: string
}

/**
 * The work tree that git finds from a directory (setup.c, setup_git_directory_gently_1), without a top: none. An empty `.git` is no
 * repository, and another user's is one that git refuses: neither may make a workspace of the directory that holds it. Nor do the
 * remains of a repository make one of what git finds above them.
 * @param from a real path
 */
export function workTreeOf(from: string, user: GitUser): WorkTree {
  const device = tried(() => statSync(from).dev)
  const acrossMounts = /^(?:1|true|yes|on)$/i.test(user.env['GIT_DISCOVERY_ACROSS_FILESYSTEM'] ?? '')
  const ceilings = (user.env['GIT_CEILING_DIRECTORIES'] ?? '')
    .split(':')
    .map((path) => realPath(path) ?? path)
  for (let at = from; ; at = dirname(at)) {
    if (at !== from && ceilings.includes(at)) return {}
    if (!acrossMounts && tried(() => statSync(at).dev) !== device) return {}
    const paths = repositoryAt(at)
    if (paths) return isOwn(paths, at, user) ? { top: at } : {}
    if (isLeft(at, user)) return { lost: at }
    if (dirname(at) === at) return {}
  }
}

/** The paths whose owner git looks at; undefined: no repository. */
function repositoryAt(top: string): readonly string[] | undefined {
  const dotGit = join(top, '.git')
  const status = tried(() => statSync(dotGit, { throwIfNoEntry: false }))
  if (status?.isDirectory()) return isGitDirectory(dotGit) ? [top, dotGit] : undefined
  const named = status?.isFile() ? /^gitdir: (.+?)[\r\n]*$/s.exec(new Looks().text(dotGit))?.[1] : undefined
  if (named === undefined) return undefined
  const directory = isAbsolute(named) ? named : `${top}/${named}`
  return isGitDirectory(directory) ? [dotGit, top, directory] : undefined
}

/** At a `.git` that is a file, or a link that leads nowhere, git fails in place of going on above. */
function isLeft(top: string, { env }: GitUser): boolean {
  const dotGit = join(top, '.git')
  const status = tried(() => lstatSync(dotGit, { throwIfNoEntry: false }))
  if (!status) return false
  return !status.isDirectory() || (isOwned(dotGit, env) && existsSync(join(dotGit, 'config')))
}

/** setup.c, is_git_directory. */
function isGitDirectory(directory: string): boolean {
  const common = new Looks().text(`${directory}/commondir`).replace(/[\r\n]+$/, '')
  const shared = common === '' ? directory : isAbsolute(common) ? common : `${directory}/${common}`
  const canSearch = (name: string) => succeeds(() => accessSync(`${shared}/${name}`, constants.X_OK))
  return isHead(`${directory}/HEAD`) && canSearch('objects') && canSearch('refs')
}

/** refs.c, validate_headref. */
function isHead(file: string): boolean {
  const status = tried(() => lstatSync(file))
  if (status?.isSymbolicLink()) return tried(() => readlinkSync(file))?.startsWith('refs/') ?? false
  const text = status?.isFile() ? tried(() => readFileSync(file, 'latin1').slice(0, 256)) : undefined
  return text !== undefined && /^(?:ref:[ \t\n\r]*refs\/|[0-9a-f]{40})/i.test(text)
}

/** setup.c, ensure_valid_ownership: each path belongs to this user, or the configuration lists the work tree. */
function isOwn(paths: readonly string[], top: string, user: GitUser): boolean {
  return paths.every((path) => isOwned(path, user.env)) || isSafe(top, user)
}

function isOwned(path: string, env: Environment): boolean {
  return process.geteuid === undefined || ownerIds(env).includes(tried(() => lstatSync(path).uid) ?? -1)
}

/** compat/posix.h, is_path_owned_by_current_uid: what root's sudo was called by counts for root. */
function ownerIds(env: Environment): readonly number[] {
  const own = process.geteuid?.() ?? 0
  const caller = env['SUDO_UID'] ?? ''
  return own === 0 && /^\d+$/.test(caller) ? [own, Number(caller)] : [own]
}

/** setup.c, safe_directory_cb: an empty value withdraws those before it. */
function isSafe(top: string, user: GitUser): boolean {
  let isListed = false
  for (const value of safeDirectories(user)) {
    // A key without a value is read as "true".
    if (value === '' || value === 'true') isListed = false
    else if (value === '*' || namesTop(value, top, user.home)) isListed = true
  }
  return isListed
}

function namesTop(value: string, top: string, home: string): boolean {
  const [path] = /^[/~]/.test(value) ? placed(value, '/', home) : []
  if (path === undefined) return false
  if (!path.endsWith('/*')) return realPath(path) === top
  const above = realPath(dirname(path))
  return above !== undefined && top.startsWith(above === '/' ? above : `${above}/`)
}

function safeDirectories({ env, home, configs }: GitUser): readonly string[] {
  const count = Number.parseInt(env['GIT_CONFIG_COUNT'] ?? '0', 10)
  const given = Array.from({ length: Math.min(count || 0, 1000) }, (_, at) => at)
    .filter((at) => env[`GIT_CONFIG_KEY_${at}`]?.toLowerCase() === 'safe.directory')
    .map((at) => env[`GIT_CONFIG_VALUE_${at}`] ?? '')
  return [...configs.flatMap((file) => safeIn(file, home, 0)), ...given]
}

/** config.c, MAX_INCLUDE_DEPTH. */
const maxDepth = 10

/** What is included under a condition is left out. */
function safeIn(file: string, home: string, depth: number): readonly string[] {
  return entriesIn(file, new Looks()).flatMap(({ key, value }) => {
    if (key === 'safe.directory') return [Buffer.from(value, 'latin1').toString('utf8')]
    if (key !== 'include.path' || depth >= maxDepth) return []
    return placed(value, dirname(file), home).flatMap((path) => safeIn(path, home, depth + 1))
  })
}
