import { readFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { tried } from '../../base/errno.ts'
import { isBeneath } from '../../base/paths.ts'
import { gitlinksIn, sharedIndexesOf } from '../../facts/git-index.ts'
import { directoriesNamedBy, repositoryOf } from '../reads/worktree.ts'
import { entriesIn, type NamedPlaces, namedByConfigs } from './git-config.ts'
import { isGitDirectory, isWorktreeDirectory } from './listed.ts'
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
  if (kind === 'file') guard.named(workspace)
  for (const root of roots.slice(1)) guard.listed(root, workspace)
  guard.configs(configs, workspace)
  // Git goes on above where `.git` is no repository, which a command can make it; an invalid `.git` file is an error.
  guard.trees(workspace, kind === 'file' ? undefined : treeAbove(workspace, looks))
  return { writable: outside, protected: guard.protected, closed: guard.closed }
}

/** Submodules that are looked at. A command can write an index; the directories in the workspace are all looked at. */
const maxLinked = 500
/** A command can make many: git directories beyond these are protected as a whole, without a look into them. */
const maxRepositories = 200
/** A submodule's name may hold slashes: `modules/lib/a`. */
const maxDepth = 8

class Guard {
  readonly protected: string[] = []
  readonly closed: string[] = []
  readonly #places: Omit<NamedPlaces, 'top'>
  readonly #repositories = new Set<string>()

  constructor(places: Omit<NamedPlaces, 'top'>) {
    this.#places = places
  }

  configs(files: readonly string[], top: string): void {
    this.protected.push(...namedByConfigs(files, { ...this.#places, top }))
  }

  /** @param above the top of the work tree that the workspace is a part of: its configuration may name files of the workspace */
  trees(workspace: string, above: string | undefined): void {
    const { looks } = this.#places
    if (above !== undefined) this.configs(gitDirectoriesOf(above, looks).flatMap(configsIn), above)
    const below = looks.directories(workspace)
    looks.unlistableIn(workspace)
    const starts = [workspace, ...(above === undefined ? [] : [above]), ...below]
    const linked = linkedFrom(starts, workspace, looks)
    for (const top of new Set([...linked, ...below]))
      if (top !== workspace && top !== join(workspace, '.git')) this.inside(top, linked.has(top))
  }

  /** A directory of the workspace that may be the top of a repository. `linked`: git looks for one there. */
  inside(top: string, linked: boolean): void {
    const dotGit = join(top, '.git')
    const kind = this.#places.looks.kind(dotGit)
    if (kind === 'directory') this.repository(dotGit, top)
    else if (kind !== 'none' || linked) this.protected.push(dotGit)
    if (kind === 'file') this.named(top)
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

  /** The git directory that the `.git` file of a work tree names, where commands could change it. */
  named(top: string): void {
    const { looks, roots } = this.#places
    const directory = gitDirectoriesOf(top, looks).at(-1)
    if (directory !== undefined && roots.some((root) => directory !== root && isBeneath(directory, root)))
      this.repository(directory, top)
  }

  /** An entry of `[workspace] writable`: a git directory, a worktree's directory in one, or a project. */
  listed(root: string, workspace: string): void {
    const { looks } = this.#places
    if (isGitDirectory(root, looks)) {
      this.repository(root, basename(root) === '.git' ? dirname(root) : root)
      // It may be the one of the workspace, which a link or a `.git` file names.
      this.configs(configsIn(root), workspace)
    } else if (isWorktreeDirectory(root, looks))
      this.protected.push(...protectedInWorktree.map((name) => join(root, name)))
    else this.inside(root, false)
  }

  repository(directory: string, top: string): void {
    if (this.#repositories.has(directory)) return
    if (this.#repositories.size >= maxRepositories) return void this.protected.push(directory)
    this.#repositories.add(directory)
    const trees = join(directory, 'worktrees')
    const worktrees = this.#places.looks.directories(trees)
    this.#places.looks.unlistableIn(trees)
    if (this.#places.looks.isShut(trees)) this.protected.push(trees)
    const configs = [directory, ...worktrees].flatMap(configsIn)
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

function configsIn(directory: string): readonly string[] {
  return ['config', 'config.worktree'].map((name) => join(directory, name))
}

/** The next directory above that has a `.git`: git takes the workspace for a part of its work tree. */
function treeAbove(workspace: string, looks: Looks): string | undefined {
  for (let at = dirname(workspace); ; at = dirname(at)) {
    if (looks.kind(join(at, '.git')) !== 'none') return at
    if (dirname(at) === at) return undefined
  }
}

function gitDirectoriesOf(top: string, looks: Looks): readonly string[] {
  const dotGit = join(top, '.git')
  const status = looks.status(dotGit)
  if (status?.isDirectory()) return [dotGit]
  return status ? directoriesNamedBy(dotGit) : []
}

/** The work trees in the workspace that git looks into from these ones: their submodules, those of the submodules, and so on. */
function linkedFrom(starts: readonly string[], workspace: string, looks: Looks): ReadonlySet<string> {
  const linked = new Set<string>()
  // The loop also visits trees added meanwhile.
  const trees = new Set(starts)
  for (const top of trees)
    for (const path of linksOf(top, looks)) {
      if (linked.size >= maxLinked) return linked
      if (path === workspace || !isBeneath(path, workspace)) continue
      linked.add(path)
      trees.add(path)
    }
  return linked
}

function linksOf(top: string, looks: Looks): readonly string[] {
  const indexes = gitDirectoriesOf(top, looks).map((directory) => join(directory, 'index'))
  return indexes.flatMap((index) => gitlinksOf(index, looks)).map((link) => join(top, link))
}

const readIndexes = new Map<string, { readonly state: string; readonly links: readonly string[] }>()
const maxReadIndexes = 100
const maxIndexBytes = 67_108_864

/** Read again only when the index has changed. */
function gitlinksOf(index: string, looks: Looks): readonly string[] {
  const status = looks.status(index)
  if (!status?.isFile() || status.size > maxIndexBytes) return []
  const state = [status.dev, status.ino, status.size, status.mtimeMs, status.ctimeMs].join()
  const known = readIndexes.get(index)
  if (known?.state === state) return known.links
  const lasts = isSettled(status)
  const content = tried(() => readFileSync(index)) ?? Buffer.alloc(0)
  const shared = sharedIndexesOf(content).map((name) => join(dirname(index), name))
  const links = [content, ...shared.map((file) => contentOf(file, looks))].flatMap(
    (each) => gitlinksIn(each) ?? [],
  )
  if (readIndexes.size >= maxReadIndexes) readIndexes.clear()
  if (lasts && shared.length === 0) readIndexes.set(index, { state, links })
  return links
}

function contentOf(index: string, looks: Looks): Buffer {
  const status = looks.status(index)
  const isReadable = status?.isFile() && status.size <= maxIndexBytes
  return (isReadable ? tried(() => readFileSync(index)) : undefined) ?? Buffer.alloc(0)
}
