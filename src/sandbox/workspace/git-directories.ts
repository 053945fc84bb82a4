import { accessSync, constants, existsSync, lstatSync, readFileSync, readlinkSync, statSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, resolve } from 'node:path'
import { succeeds, tried } from '../../base/errno.ts'
import type { RepositoryRemedy } from '../../base/hint.ts'
import { isBeneath, realPath } from '../../base/paths.ts'
import type { Environment } from '../../base/types.ts'
import { entriesIn, placed } from './git-config.ts'
import { Looks } from './looks.ts'
import type { Obeyed } from './obeyed.ts'
import { protectedInGit } from './obeyed-names.ts'

/** The part of a git directory that git obeys, if a root is one or lies in one: `.git/hooks`. */
export function obeyedInGit(path: string, looks: Looks): Obeyed | undefined {
  for (let at = path; dirname(at) !== at; at = dirname(at)) {
    const named = protectedInGit.map((name) => join(dirname(at), name)).includes(at)
    if (named && isGitDirectory(dirname(at), looks)) return { path: at, by: 'git' }
  }
  return undefined
}

/** What git takes for one (setup.c, is_git_directory). */
export function isGitDirectory(path: string, looks: Looks): boolean {
  return (
    looks.kind(join(path, 'HEAD')) !== 'none' &&
    ['objects', 'refs'].every((name) => looks.status(join(path, name)))
  )
}

/** The directory of a linked worktree in its repository: `commondir` names that. */
export function isWorktreeDirectory(path: string, looks: Looks): boolean {
  return looks.kind(join(path, 'HEAD')) !== 'none' && looks.kind(join(path, 'commondir')) !== 'none'
}

/**
 * For a path in the git directory that the workspace's `.git` names, but that does not name the workspace in turn: the worktree has
 * moved, or it is one of `git init --separate-git-dir`, or `.git` is a link.
 */
export function repositoryRemedy(path: string, tree: string | undefined): RepositoryRemedy | undefined {
  const directories = tree === undefined ? [] : gitDirectoriesOf(join(tree, '.git'))
  if (tree === undefined || !directories.some((directory) => isBeneath(path, directory))) return undefined
  const isWorktree = directories.some((directory) => existsSync(join(directory, 'commondir')))
  return { how: isWorktree ? 'repair' : 'name', tree }
}

function gitDirectoriesOf(dotGit: string): readonly string[] {
  const target = realPath(dotGit)
  if (target === undefined) return []
  return statSync(target).isDirectory() ? [target] : directoriesNamedBy(dotGit)
}

/**
 * The repository of a linked worktree or submodule, outside the workspace (gitrepository-layout(5)). `.git`
 * could name any directory: it counts only if the repository names the workspace.
 */
export function repositoryOf(workspace: string): readonly string[] {
  const dotGit = join(workspace, '.git')
  const isLink = tried(() => lstatSync(dotGit))?.isSymbolicLink() === true
  const named = isLink ? dotGit : namedIn(dotGit)
  const directory = named === undefined ? undefined : realPath(resolve(workspace, named))
  if (directory === undefined) return []
  const repository = isWorktree(directory, workspace) ? commonDirectory(directory) : directory
  const isKnown = repository !== directory || isSubmodule(directory, workspace)
  return isKnown && isRepository(repository) ? [repository] : []
}

function isWorktree(directory: string, workspace: string): boolean {
  const back = new Looks().text(join(directory, 'gitdir')).trim()
  return back !== '' && realPath(resolve(directory, dirname(back))) === workspace
}

function commonDirectory(directory: string): string {
  const common = resolve(directory, new Looks().text(join(directory, 'commondir')).trim() || '.')
  // Git keeps it in REPOSITORY/worktrees/NAME; a `commondir` elsewhere is not its repository.
  const isAbove = common === dirname(dirname(directory)) && basename(dirname(directory)) === 'worktrees'
  return isAbove ? common : directory
}

/** The git directory that a `.git` file names, and the one whose configuration it shares, wherever they lie. */
function directoriesNamedBy(dotGit: string): readonly string[] {
  const named = namedIn(dotGit)
  if (named === undefined) return []
  const directory = resolve(dirname(dotGit), named)
  const common = new Looks().text(join(directory, 'commondir')).trim()
  const directories = common === '' ? [directory] : [directory, resolve(directory, common)]
  return directories.map((path) => realPath(path) ?? path)
}

function namedIn(dotGit: string): string | undefined {
  return /^gitdir: (.+)$/m.exec(new Looks().text(dotGit))?.[1]
}

/** What every repository has, unlike a directory that merely holds hostile files. */
function isRepository(directory: string): boolean {
  return ['HEAD', 'objects'].every((name) => existsSync(join(directory, name)))
}

function isSubmodule(directory: string, workspace: string): boolean {
  const tree = /^\s*worktree\s*=\s*(.+)$/m.exec(new Looks().text(join(directory, 'config')))?.[1]
  return tree !== undefined && realPath(resolve(directory, tree.trim())) === workspace
}

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
  if (status?.isDirectory()) return isValidGitDirectory(dotGit) ? [top, dotGit] : undefined
  const named = status?.isFile() ? /^gitdir: (.+?)[\r\n]*$/s.exec(new Looks().text(dotGit))?.[1] : undefined
  if (named === undefined) return undefined
  const directory = isAbsolute(named) ? named : `${top}/${named}`
  return isValidGitDirectory(directory) ? [dotGit, top, directory] : undefined
}

/** At a `.git` that is a file, or a link that leads nowhere, git fails in place of going on above. */
function isLeft(top: string, { env }: GitUser): boolean {
  const dotGit = join(top, '.git')
  const status = tried(() => lstatSync(dotGit, { throwIfNoEntry: false }))
  if (!status) return false
  return !status.isDirectory() || (isOwned(dotGit, env) && existsSync(join(dotGit, 'config')))
}

/** setup.c, is_git_directory. */
function isValidGitDirectory(directory: string): boolean {
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
