import { accessSync, constants, existsSync, lstatSync, readFileSync, readlinkSync, statSync } from 'node:fs'
import { dirname, isAbsolute, join } from 'node:path'
import { succeeds, tried } from '../../base/errno.ts'
import type { RepositoryRemedy } from '../../base/hint.ts'
import { protectedInGit } from '../../base/obeyed-names.ts'
import { isBeneath, realPath } from '../../base/paths.ts'
import type { Environment } from '../../base/types.ts'
import { placed, settingsIn } from './git-config.ts'
import { Looks } from './looks.ts'
import type { Obeyed } from './obeyed.ts'

/** What a `.git` file names, as written but absolute (setup.c, read_gitfile_gently). */
export function namedIn(dotGit: string, looks = new Looks()): string | undefined {
  const named = /^gitdir: (.+?)[\r\n]*$/s.exec(looks.text(dotGit))?.[1]
  return named === undefined ? undefined : absoluteFrom(dirname(dotGit), named)
}

/** The git directory whose configuration it shares (gitrepository-layout(5)), as written but absolute. */
export function commonOf(directory: string, looks = new Looks()): string | undefined {
  const common = looks.text(`${directory}/commondir`).replace(/[\r\n]+$/, '')
  return common === '' ? undefined : absoluteFrom(directory, common)
}

/** Not normalized: `..` behind a link does not lead to the link's parent. */
export function absoluteFrom(directory: string, path: string): string {
  return isAbsolute(path) ? path : `${directory}/${path}`
}

/** The part of a git directory that git obeys, if a root is one or lies in one: `.git/hooks`. */
export function obeyedInGit(path: string, looks: Looks): Obeyed | undefined {
  for (let at = path; dirname(at) !== at; at = dirname(at)) {
    const isPart = protectedInGit.some((name) => join(dirname(at), name) === at)
    if (isPart && isGitDirectory(dirname(at), looks)) return { path: at, by: 'git' }
  }
  return undefined
}

/** What git takes for one, or would with another HEAD, which commands can write (setup.c, is_git_directory). */
export function isGitDirectory(path: string, looks: Looks): boolean {
  return (
    looks.kind(join(path, 'HEAD')) !== 'none' &&
    ['objects', 'refs'].every((name) => looks.status(join(path, name)))
  )
}

/**
 * For a path in the git directory that the workspace's `.git` names, but that does not name the workspace in turn: the worktree has
 * moved, or it is one of `git init --separate-git-dir`, or `.git` is a link.
 */
export function repositoryRemedy(path: string, tree: string | undefined): RepositoryRemedy | undefined {
  if (tree === undefined) return undefined
  const dotGit = join(tree, '.git')
  const directory = realPath(namedIn(dotGit) ?? dotGit)
  const common = directory === undefined ? undefined : commonOf(directory)
  const isIn = [directory, realPath(common ?? '')].some((each) => each !== undefined && isBeneath(path, each))
  return isIn ? { how: common === undefined ? 'name' : 'repair', tree } : undefined
}

/**
 * The repository of a linked worktree or submodule, outside the workspace (gitrepository-layout(5)). `.git`
 * could name any directory: it counts only if the repository names the workspace.
 */
export function repositoryOf(workspace: string): readonly string[] {
  const dotGit = join(workspace, '.git')
  const isLink = tried(() => lstatSync(dotGit))?.isSymbolicLink() === true
  const directory = realPath((isLink ? dotGit : namedIn(dotGit)) ?? '')
  if (directory === undefined) return []
  const back = new Looks().text(join(directory, 'gitdir')).trim()
  const isWorktree = back !== '' && realPath(dirname(absoluteFrom(directory, back))) === workspace
  const common = isWorktree ? realPath(commonOf(directory) ?? '') : undefined
  // Git keeps a worktree in REPOSITORY/worktrees/NAME; a `commondir` elsewhere is not its repository.
  const isAbove = common !== undefined && join(common, 'worktrees') === dirname(directory)
  const isKnown = isAbove || isSubmodule(directory, workspace)
  const repository = isAbove ? common : directory
  return isKnown && isGitDirectory(repository, new Looks()) ? [repository] : []
}

function isSubmodule(directory: string, workspace: string): boolean {
  const tree = /^\s*worktree\s*=\s*(.+)$/m.exec(new Looks().text(join(directory, 'config')))?.[1]
  return tree !== undefined && realPath(absoluteFrom(directory, tree.trim())) === workspace
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
  const directory = namedIn(dotGit) ?? dotGit
  if (!isValidGitDirectory(directory)) return undefined
  return directory === dotGit ? [top, dotGit] : [dotGit, top, directory]
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
  const shared = commonOf(directory) ?? directory
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

/** compat/posix.h, is_path_owned_by_current_uid: what root's sudo was called by counts for root. */
function isOwned(path: string, env: Environment): boolean {
  const own = process.geteuid?.()
  const owner = tried(() => lstatSync(path).uid)
  return own === undefined || owner === own || (own === 0 && `${owner}` === env['SUDO_UID'])
}

/** setup.c, safe_directory_cb: an empty value withdraws those before it. */
function isSafe(top: string, user: GitUser): boolean {
  const values = safeDirectories(user)
  // A key without a value is read as "true".
  const last = values.findLastIndex((value) => value === '' || value === 'true')
  return values.slice(last + 1).some((value) => value === '*' || namesTop(value, top, user.home))
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
  const given = Array.from({ length: Math.min(count || 0, 1000) }, (_, at) => ({
    key: env[`GIT_CONFIG_KEY_${at}`]?.toLowerCase(),
    value: env[`GIT_CONFIG_VALUE_${at}`] ?? '',
  }))
  const places = { home, looks: new Looks(), isInside: () => false }
  const all = [...settingsIn(configs, places, true).entries, ...given]
  return all.filter(({ key }) => key === 'safe.directory').map(({ value }) => value)
}
