import { readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { tried } from '../../base/errno.ts'
import { isBeneath } from '../../base/paths.ts'
import { gitlinksIn, sharedIndexesOf } from '../../facts/git-index.ts'
import { repositoryOf } from '../reads/worktree.ts'
import { entriesIn, type NamedPlaces, namedByConfigs } from './git-config.ts'
import { isSettled, type Looks } from './looks.ts'
import { protectedInGit, protectedInWorktree } from './protected.ts'

/** What a workspace's repositories add to what is writable and what is protected. Absolute paths. */
export interface GitPlaces {
  /** The git directory of a linked worktree or a submodule, which lies outside. */
  readonly writable: readonly string[]
  readonly protected: readonly string[]
  /** As in Changes. */
  readonly closed: readonly string[]
}

export interface GitUser {
  readonly home: string
  readonly configs: readonly string[]
  readonly looks: Looks
}

/** @param roots what is writable anyway, the workspace first: absolute real paths */
export function gitPlacesOf(
  roots: readonly [string, ...string[]],
  { home, configs, looks }: GitUser,
): GitPlaces {
  const [workspace] = roots
  const dotGit = join(workspace, '.git')
  const kind = looks.kind(dotGit)
  // If `.git` is a file or a link, the answer also depends on paths that are not recorded.
  if (kind === 'file' || kind === 'other') looks.isComplete = false
  const outside = kind === 'directory' ? [] : repositoryOf(workspace)
  const guard = new Guard({ home, roots: [...roots, ...outside], looks })
  if (kind === 'directory') guard.repository(dotGit, workspace)
  else guard.protected.push(dotGit)
  if (kind !== 'file') guard.bare(workspace)
  for (const directory of outside) guard.repository(directory, workspace)
  guard.configs(configs, workspace)
  const links = gitlinksOf(join(outside[0] ?? dotGit, 'index'), looks)
  const linked = new Set(links.map((path) => join(workspace, path)))
  for (const top of new Set([...[...linked].slice(0, maxLinked), ...looks.directories(workspace)]))
    if (isBeneath(top, workspace) && top !== workspace && top !== dotGit) guard.inside(top, linked.has(top))
  return { writable: outside, protected: guard.protected, closed: guard.closed }
}

/** Submodules of the index that are looked at. A command can write the index; the directories in the workspace are all looked at. */
const maxLinked = 500
/** A command can make many: git directories beyond these are protected as a whole, without a look into them. */
const maxRepositories = 200
/** A submodule's name may hold slashes: `modules/lib/a`. */
const maxDepth = 8

class Guard {
  readonly protected: string[] = []
  readonly closed: string[] = []
  readonly #places: Omit<NamedPlaces, 'top'>
  #count = 0

  constructor(places: Omit<NamedPlaces, 'top'>) {
    this.#places = places
  }

  configs(files: readonly string[], top: string): void {
    this.protected.push(...namedByConfigs(files, { ...this.#places, top }))
  }

  /** A directory of the workspace that may be the top of a repository. `linked`: git looks for one there. */
  inside(top: string, linked: boolean): void {
    const dotGit = join(top, '.git')
    const kind = this.#places.looks.kind(dotGit)
    if (kind === 'directory') this.repository(dotGit, top)
    else if (kind !== 'none' || linked) this.protected.push(dotGit)
    const isBare = kind === 'none' && this.#places.looks.kind(join(top, 'HEAD')) === 'file'
    if (kind === 'directory' || kind === 'other' || isBare) this.bare(top)
  }

  /**
   * Where `.git` is missing or no repository, which a command can make it, git takes the directory itself for one if that has a
   * HEAD, with the configuration and hooks in it (setup.c, is_git_directory). An invalid `.git` file is an error instead.
   */
  bare(top: string): void {
    const head = join(top, 'HEAD')
    const kind = this.#places.looks.kind(head)
    if (kind === 'file' || kind === 'other') this.repository(top, top)
    else this.protected.push(head)
  }

  repository(directory: string, top: string): void {
    if (this.#count++ >= maxRepositories) return void this.protected.push(directory)
    const trees = join(directory, 'worktrees')
    const worktrees = this.#places.looks.directories(trees)
    if (this.#places.looks.isShut(trees)) this.protected.push(trees)
    const configs = [directory, ...worktrees].flatMap((at) =>
      ['config', 'config.worktree'].map((name) => join(at, name)),
    )
    this.protected.push(
      ...protectedInGit.map((name) => join(directory, name)),
      ...worktrees.flatMap((worktree) => protectedInWorktree.map((name) => join(worktree, name))),
    )
    this.configs(configs, top)
    for (const at of [directory, ...worktrees]) this.#modules(join(at, 'modules'), 0)
  }

  /** Closed: a command could otherwise make a submodule's git directory there, with its own configuration. */
  #modules(directory: string, depth: number): void {
    this.closed.push(directory)
    const { looks } = this.#places
    for (const entry of looks.directories(directory))
      if (looks.kind(join(entry, 'HEAD')) === 'file') this.repository(entry, workTreeOf(entry, looks))
      else if (depth < maxDepth) this.#modules(entry, depth + 1)
  }
}

function workTreeOf(module: string, looks: Looks): string {
  const named = entriesIn(join(module, 'config'), looks).find(({ key }) => key === 'core.worktree')
  return resolve(module, named?.value ?? '.')
}

let lastIndex: { readonly state: string; readonly links: readonly string[] } | undefined
const maxIndexBytes = 67_108_864

/** Read again only when the index has changed. */
function gitlinksOf(index: string, looks: Looks): readonly string[] {
  const status = looks.status(index)
  if (!status?.isFile() || status.size > maxIndexBytes) return []
  const state = [index, status.ino, status.size, status.mtimeMs, status.ctimeMs].join()
  if (lastIndex?.state === state) return lastIndex.links
  const lasts = isSettled(status)
  const content = tried(() => readFileSync(index)) ?? Buffer.alloc(0)
  const shared = sharedIndexesOf(content).map((name) => join(dirname(index), name))
  const links = [content, ...shared.map((file) => contentOf(file, looks))].flatMap(
    (each) => gitlinksIn(each) ?? [],
  )
  lastIndex = lasts && shared.length === 0 ? { state, links } : undefined
  return links
}

function contentOf(index: string, looks: Looks): Buffer {
  const status = looks.status(index)
  const isReadable = status?.isFile() && status.size <= maxIndexBytes
  return (isReadable ? tried(() => readFileSync(index)) : undefined) ?? Buffer.alloc(0)
}
