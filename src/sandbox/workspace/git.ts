import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { repositoryOf } from '../reads/worktree.ts'
import { protectedInGit, protectedInWorktree } from './protected.ts'

/** What a workspace's repositories add to what is writable and what is protected. Absolute paths. */
export interface GitPlaces {
  /** The git directory of a linked worktree or a submodule, which lies outside. */
  readonly writable: readonly string[]
  readonly protected: readonly string[]
}

/** @param workspace absolute real path */
export function gitPlacesOf(workspace: string): GitPlaces {
  const dotGit = join(workspace, '.git')
  if (kindOf(dotGit) === 'directory') return { writable: [], protected: inGitDirectory(dotGit) }
  const outside = repositoryOf(workspace)
  return { writable: outside, protected: [dotGit, ...outside.flatMap(inGitDirectory)] }
}

function inGitDirectory(directory: string): readonly string[] {
  return [
    ...protectedInGit.map((name) => join(directory, name)),
    ...entriesOf(join(directory, 'worktrees')).flatMap((worktree) =>
      protectedInWorktree.map((name) => join(worktree, name)),
    ),
    ...modulesOf(join(directory, 'modules'), 0).flatMap(inGitDirectory),
  ]
}

/** A submodule's name may hold slashes: `modules/lib/a`. */
const mostDepth = 8

function modulesOf(directory: string, depth: number): readonly string[] {
  return entriesOf(directory).flatMap((entry) => {
    if (kindOf(join(entry, 'HEAD')) === 'file') return [entry]
    return depth < mostDepth ? modulesOf(entry, depth + 1) : []
  })
}

function entriesOf(directory: string): readonly string[] {
  try {
    return readdirSync(directory, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => join(directory, entry.name))
  } catch {
    // ENOENT: there are none.
    return []
  }
}

function kindOf(path: string): 'file' | 'directory' | 'other' | 'none' {
  try {
    const status = lstatSync(path)
    return status.isFile() ? 'file' : status.isDirectory() ? 'directory' : 'other'
  } catch {
    return 'none'
  }
}
