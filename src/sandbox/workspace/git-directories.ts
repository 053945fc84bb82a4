import { existsSync, lstatSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { tried } from '../../base/errno.ts'
import type { RepositoryRemedy } from '../../base/hint.ts'
import { isBeneath, realPath } from '../../base/paths.ts'
import type { Looks } from './looks.ts'
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
  return { kind: 'repository', how: isWorktree ? 'repair' : 'name', tree }
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
  const back = textOf(join(directory, 'gitdir')).trim()
  return back !== '' && realPath(resolve(directory, dirname(back))) === workspace
}

function commonDirectory(directory: string): string {
  const common = resolve(directory, textOf(join(directory, 'commondir')).trim() || '.')
  // Git keeps it in REPOSITORY/worktrees/NAME; a `commondir` elsewhere is not its repository.
  const isAbove = common === dirname(dirname(directory)) && basename(dirname(directory)) === 'worktrees'
  return isAbove ? common : directory
}

/** The git directory that a `.git` file names, and the one whose configuration it shares, wherever they lie. */
function directoriesNamedBy(dotGit: string): readonly string[] {
  const named = namedIn(dotGit)
  if (named === undefined) return []
  const directory = resolve(dirname(dotGit), named)
  const common = textOf(join(directory, 'commondir')).trim()
  const directories = common === '' ? [directory] : [directory, resolve(directory, common)]
  return directories.map((path) => realPath(path) ?? path)
}

function namedIn(dotGit: string): string | undefined {
  return /^gitdir: (.+)$/m.exec(textOf(dotGit))?.[1]
}

/** What every repository has, unlike a directory that merely holds hostile files. */
function isRepository(directory: string): boolean {
  return ['HEAD', 'objects'].every((name) => existsSync(join(directory, name)))
}

function isSubmodule(directory: string, workspace: string): boolean {
  const tree = /^\s*worktree\s*=\s*(.+)$/m.exec(textOf(join(directory, 'config')))?.[1]
  return tree !== undefined && realPath(resolve(directory, tree.trim())) === workspace
}

/** Git's files of this kind are short. */
const maxBytes = 1_048_576

/** Regular files only: a FIFO would block, opening a device can have side effects (open(2)). Empty: nothing is granted. */
function textOf(file: string): string {
  const status = tried(() => statSync(file))
  return status?.isFile() && status.size <= maxBytes ? (tried(() => readFileSync(file, 'utf8')) ?? '') : ''
}
