import { existsSync, lstatSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { tried } from '../../base/errno.ts'
import { realPath } from '../../base/paths.ts'

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
export function directoriesNamedBy(dotGit: string): readonly string[] {
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
