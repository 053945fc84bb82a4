import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { repositoryOf } from '../reads/worktree.ts'
import { protectedInGit, protectedInWorktree } from './protected.ts'

/** What stays as it is. Absolute paths. */
export interface Guarded {
  readonly protected: readonly string[]
  readonly closed: readonly string[]
}

/** What a workspace's repositories add to what is writable and what is protected. */
export interface GitPlaces extends Guarded {
  /** The git directory of a linked worktree or a submodule, which lies outside. */
  readonly writable: readonly string[]
}

/** @param workspace absolute real path */
export function gitPlacesOf(workspace: string): GitPlaces {
  const dotGit = join(workspace, '.git')
  if (kindOf(dotGit) === 'directory') return { writable: [], ...inGitDirectory(dotGit) }
  const outside = repositoryOf(workspace)
  return {
    writable: outside,
    ...merged([{ protected: [dotGit], closed: [] }, ...outside.map(inGitDirectory)]),
  }
}

function merged(all: readonly Guarded[]): Guarded {
  return {
    protected: all.flatMap((one) => one.protected),
    closed: all.flatMap((one) => one.closed),
  }
}

function inGitDirectory(directory: string): Guarded {
  const worktrees = entriesOf(join(directory, 'worktrees'))
  const named = [
    ...protectedInGit.map((name) => join(directory, name)),
    ...worktrees.flatMap((worktree) => protectedInWorktree.map((name) => join(worktree, name))),
  ]
  const modules = [directory, ...worktrees].map((at) => inModules(join(at, 'modules'), 0))
  return merged([{ protected: named, closed: [] }, ...modules])
}

/** A submodule's name may hold slashes: `modules/lib/a`. */
const mostDepth = 8

/** Closed: a directory that a command makes there would be a submodule's, whose configuration it wrote itself. */
function inModules(directory: string, depth: number): Guarded {
  const inside = entriesOf(directory).map((entry) => {
    if (kindOf(join(entry, 'HEAD')) === 'file') return inGitDirectory(entry)
    return depth < mostDepth ? inModules(entry, depth + 1) : { protected: [], closed: [] }
  })
  return merged([{ protected: [], closed: [directory] }, ...inside])
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
