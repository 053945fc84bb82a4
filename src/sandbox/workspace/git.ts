import { readFileSync, statfsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { tried } from '../../base/errno.ts'
import { protectedInGit, protectedInWorktree } from '../../base/obeyed-names.ts'
import { isBeneath } from '../../base/paths.ts'
import { insideOf, namedBy, type Places, type Settings, settingsIn } from './git-config.ts'
import { absoluteFrom, commonOf, isGitDirectory, namedIn, repositoryOf } from './git-directories.ts'
import { gitlinksIn, sharedIndexesOf } from './git-index.ts'
import type { Looks } from './looks.ts'

/** What a workspace's repositories add to what is writable and what is protected. Absolute paths. */
export interface GitPlaces {
  /** The git directory of a linked worktree or a submodule, which lies outside. */
  readonly writable: readonly string[]
  readonly protected: readonly string[]
  /** As in Changes. */
  readonly closed: readonly string[]
  readonly unmade: readonly string[]
}

interface GitUser {
  readonly home: string
  readonly configs: readonly string[]
  readonly looks: Looks
  /** Tops of further repositories in the workspace. */
  readonly known: readonly string[]
}

/** @param roots what is writable anyway, the workspace first: absolute real paths */
export function gitPlacesOf(
  roots: readonly [string, ...string[]],
  { home, configs, looks, known }: GitUser,
): GitPlaces {
  const [workspace, ...listed] = roots
  const kind = looks.kind(join(workspace, '.git'))
  // If `.git` is a file or a link, the answer also depends on paths that are not recorded.
  if (kind === 'file' || kind === 'other') looks.isComplete = false
  const outside = kind === 'directory' ? [] : repositoryOf(workspace)
  const all = [...roots, ...outside]
  const isInside = (path: string) => all.some((root) => path !== root && isBeneath(path, root))
  const guard = new Guard({ home, looks, isInside })
  guard.workspace(workspace, listed, known)
  guard.configs(configs)
  return { writable: outside, protected: guard.protected, closed: guard.closed, unmade: guard.unmade }
}

/** Submodules that are looked at. A command can write an index; the directories in the workspace are all looked at. */
const maxLinked = 500
/** A command can make many: git directories beyond these are protected as a whole, with their configurations. */
const maxRepositories = 200
/** A submodule's name may hold slashes: `modules/lib/a`. */
const maxDepth = 8

class Guard {
  readonly protected: string[] = []
  readonly closed: string[] = []
  readonly unmade: string[] = []
  readonly #looks: Looks
  readonly #places: Places
  /** By git directory: where git may start programs for it. */
  readonly #repositories = new Map<string, { readonly settings: Settings; readonly tops: Set<string> }>()
  readonly #trees = new Set<string>()

  constructor(places: Places) {
    this.#looks = places.looks
    this.#places = places
  }

  /** @param known tops of further repositories in it */
  workspace(top: string, listed: readonly string[], known: readonly string[]): void {
    const looks = this.#looks
    if (mayBeMade(top, looks)) this.#unmade(join(top, '.git'))
    this.tree(top, true)
    // Git goes on above where `.git` is no repository, and a command can do that to the one of the workspace.
    for (let at = dirname(top); ; at = dirname(at)) {
      this.tree(at, false)
      if (at === dirname(at)) break
    }
    for (const root of listed) this.#listed(root, top)
    for (const at of looks.directories(top)) this.tree(at, false)
    looks.unlistableIn(top)
    for (const at of known) this.#known(at)
    this.#follow(top)
    for (const { settings, tops } of this.#repositories.values())
      this.protected.push(...namedBy(settings, tops, this.#places))
  }

  /** The work trees in the workspace that git looks into from the known ones: their submodules, those of the submodules, and so on. */
  #follow(workspace: string): void {
    let count = 0
    // The loop also visits trees added meanwhile.
    for (const top of this.#trees)
      for (const path of linksOf(top, this.#places)) {
        if (path === workspace || !isBeneath(path, workspace)) continue
        if (count++ < maxLinked) this.tree(path, true)
      }
  }

  /** A directory that a command has made the top of a repository, or a walk has found to be one. It may lack a HEAD. */
  #known(top: string): void {
    const isThere = (name: string) => this.#looks.kind(join(top, name)) !== 'none'
    this.tree(top, isThere('.git'))
    if (isThere('objects') && isThere('refs')) this.bare(top)
  }

  /** The user's own, which count in each repository. */
  configs(files: readonly string[]): void {
    const tops = [...this.#repositories.values()].flatMap((each) => [...each.tops])
    const settings = settingsIn(files, this.#places)
    this.protected.push(...namedBy(settings, new Set([...this.#trees, ...tops]), this.#places))
  }

  /** A directory that may be the top of a work tree. `linked`: git looks for a repository there. */
  tree(top: string, linked: boolean): void {
    const kind = this.#looks.kind(join(top, '.git'))
    const isMade = kind !== 'none' || (linked && !this.unmade.includes(join(top, '.git')))
    if (kind !== 'directory' && isMade) this.#protect(join(top, '.git'))
    if (this.#trees.has(top)) return
    const isBare = kind === 'none' && this.#looks.kind(join(top, 'HEAD')) === 'file'
    if (kind === 'none' && !isBare && !linked) return
    this.#trees.add(top)
    const [directory, common = directory] = kind === 'none' ? [] : gitDirectoriesOf(top, this.#places)
    if (common !== undefined) this.repository(common, top)
    // The directories of its worktrees come with a repository.
    if (directory !== undefined && dirname(directory) !== join(common ?? '', 'worktrees'))
      this.repository(directory, top)
    if (kind !== 'file') this.bare(top)
  }

  /**
   * Where `.git` is missing or no repository, which a command can make it, git takes the directory itself for one if that has a
   * HEAD, with the configuration and hooks in it (setup.c, is_git_directory). An invalid `.git` file is an error instead.
   */
  bare(top: string): void {
    const head = join(top, 'HEAD')
    const kind = this.#looks.kind(head)
    if (kind === 'file' || kind === 'other') this.repository(top, top)
    else this.#protect(head)
  }

  /** An entry of `[workspace] writable`: a git directory, a worktree's directory in one (`commondir` names that), or a project. */
  #listed(root: string, workspace: string): void {
    const isThere = (name: string) => this.#looks.kind(join(root, name)) !== 'none'
    if (isGitDirectory(root, this.#looks)) {
      this.repository(root, basename(root) === '.git' ? dirname(root) : root)
      // It may be the one of the workspace, which a link or a `.git` file names.
      this.repository(root, workspace)
    } else if (isThere('HEAD') && isThere('commondir'))
      this.#protect(...protectedInWorktree.map((name) => join(root, name)))
    else this.tree(root, false)
  }

  repository(directory: string, top: string): void {
    const known = this.#repositories.get(directory)
    if (known) return void known.tops.add(top)
    const isMany = this.#repositories.size >= maxRepositories
    const worktrees = this.#worktreesIn(`${directory}/worktrees`)
    const configs = [directory, ...worktrees].flatMap(configsIn)
    const settings = settingsIn(configs, this.#places)
    // The last value wins, as for git.
    const tree = settings.entries.findLast(({ key }) => key === 'core.worktree')?.value
    const tops = new Set([top, directory])
    if (tree !== undefined) tops.add(plainFrom(directory, tree, this.#places))
    this.#repositories.set(directory, { settings, tops })
    if (isMany) return void this.#protect(directory)
    this.#protect(
      ...protectedInGit.map((name) => `${directory}/${name}`),
      ...worktrees.flatMap((worktree) => protectedInWorktree.map((name) => join(worktree, name))),
    )
    for (const worktree of worktrees) this.#worktree(worktree, tops)
    for (const at of [directory, ...worktrees]) this.#modules(`${at}/modules`, 0)
  }

  /** Commands may make it. The launcher checks what becomes its configuration, and lets only sample hooks into its `hooks`. */
  #unmade(directory: string): void {
    const directories = ['hooks', 'branches']
    this.unmade.push(directory)
    this.closed.push(...directories.map((name) => join(directory, name)))
    this.#protect(
      ...protectedInGit.filter((name) => !directories.includes(name)).map((name) => join(directory, name)),
    )
    this.#modules(join(directory, 'modules'), 0)
  }

  /** A directory of worktrees that cannot be read is protected: a command may have shut it. */
  #worktreesIn(path: string): readonly string[] {
    this.#looks.unlistableIn(path)
    if (this.#looks.kind(path) === 'directory' && !this.#looks.entries(path)) this.#protect(path)
    return this.#looks.directories(path)
  }

  /** The work tree of a linked worktree (gitrepository-layout(5)). */
  #worktree(directory: string, tops: Set<string>): void {
    const back = this.#looks.text(join(directory, 'gitdir')).trim()
    if (back === '') return
    const top = dirname(plainFrom(directory, back, this.#places))
    tops.add(top)
    if (this.#places.isInside(this.#looks.way(top).end)) this.tree(top, true)
  }

  /** Closed: a command could otherwise make a submodule's git directory there, with its own configuration. */
  #modules(directory: string, depth: number): void {
    if (this.#places.isInside(directory)) this.closed.push(directory)
    for (const entry of this.#looks.directories(directory))
      if (this.#looks.kind(join(entry, 'HEAD')) === 'file') this.repository(entry, entry)
      else if (depth < maxDepth) this.#modules(entry, depth + 1)
  }

  #protect(...paths: readonly string[]): void {
    this.protected.push(...paths.flatMap((path) => insideOf(path, this.#places)))
  }
}

/** linux/magic.h: msdos, smb, cifs, smb2, v9fs. These have, or may have, short names: `GIT~1`. */
const shortNamed = [0x4d44, 0x517b, 0xff534d42, 0xfe534d42, 0x01021997]

/** A workspace that is no repository, nor a bare one or what is left of it. */
function mayBeMade(top: string, looks: Looks): boolean {
  const isEmpty = ['.git', 'HEAD'].every((name) => looks.kind(join(top, name)) === 'none')
  return isEmpty && !shortNamed.includes(tried(() => statfsSync(top).type) ?? 0)
}

function configsIn(directory: string): readonly string[] {
  return ['config', 'config.worktree'].map((name) => `${directory}/${name}`)
}

/**
 * The git directory of a work tree, and the one whose configuration it shares (gitrepository-layout(5)), as `.git` and `commondir`
 * write them: links on the way are protected as well.
 */
function gitDirectoriesOf(top: string, places: Places): readonly string[] {
  const { looks } = places
  const dotGit = join(top, '.git')
  if (looks.status(dotGit)?.isDirectory()) return [dotGit]
  const named = namedIn(dotGit, looks)
  if (named === undefined) return []
  const directory = plainFrom(top, named, places)
  const common = commonOf(directory, looks)
  return common === undefined ? [directory] : [directory, plainFrom(directory, common, places)]
}

/** Without links; but as written, and not normalized, where commands could change a link on the way: that one is protected as well. */
function plainFrom(directory: string, path: string, { looks, isInside }: Places): string {
  const written = absoluteFrom(directory, path)
  const { links, end } = looks.way(written)
  return links.some(isInside) ? written : end
}

function linksOf(top: string, places: Places): readonly string[] {
  const indexes = gitDirectoriesOf(top, places).map((directory) => `${directory}/index`)
  return indexes.flatMap((index) => gitlinksOf(index, places.looks)).map((link) => join(top, link))
}

const maxIndexBytes = 67_108_864

function gitlinksOf(index: string, looks: Looks): readonly string[] {
  const content = contentOf(index, looks)
  const shared = sharedIndexesOf(content).map((name) => contentOf(join(dirname(index), name), looks))
  return [content, ...shared].flatMap(gitlinksIn)
}

function contentOf(index: string, looks: Looks): Buffer {
  const status = looks.status(index)
  const isReadable = status?.isFile() && status.size <= maxIndexBytes
  return (isReadable ? tried(() => readFileSync(index)) : undefined) ?? Buffer.alloc(0)
}
