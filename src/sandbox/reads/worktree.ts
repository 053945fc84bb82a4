import { existsSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { realPath } from './programs.ts'

/**
 * Where Git keeps the repository of a linked worktree or a submodule: outside the workspace, whose `.git` is a file that
 * names it (gitrepository-layout(5)). That file is believed only where the repository names the workspace in turn: a
 * hostile one could name any directory.
 */
export function repositoryOf(workspace: string): readonly string[] {
  const named = /^gitdir: (.+)$/m.exec(textOf(join(workspace, '.git')))?.[1]
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
  // REPOSITORY/worktrees/NAME: any other place is no repository that this worktree belongs to.
  const isAbove = common === dirname(dirname(directory)) && basename(dirname(directory)) === 'worktrees'
  return isAbove ? common : directory
}

/** What every repository has: a directory that merely holds hostile files is none. */
function isRepository(directory: string): boolean {
  return ['HEAD', 'objects'].every((name) => existsSync(join(directory, name)))
}

function isSubmodule(directory: string, workspace: string): boolean {
  const tree = /^\s*worktree\s*=\s*(.+)$/m.exec(textOf(join(directory, 'config')))?.[1]
  return tree !== undefined && realPath(resolve(directory, tree.trim())) === workspace
}

/** What Git keeps in such a file is short. */
const mostBytes = 1_048_576

/** Empty where there is none, nor a regular one: a FIFO would be waited for, and opening a device can do something (open(2)). */
function textOf(file: string): string {
  try {
    const status = statSync(file)
    return status.isFile() && status.size <= mostBytes ? readFileSync(file, 'utf8') : ''
  } catch {
    // Nothing can be learned, so nothing is granted.
    return ''
  }
}
