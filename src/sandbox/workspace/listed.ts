import { existsSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { RepositoryRemedy } from '../../base/hint.ts'
import { isBeneath, realPath } from '../../base/paths.ts'
import { directoriesNamedBy } from '../reads/worktree.ts'
import type { Looks } from './looks.ts'
import type { Obeyed } from './obeyed.ts'
import { protectedInGit } from './protected.ts'

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
