import { dirname } from 'node:path'
import { repositoryProblems } from '../messages/repository.ts'
import type { FoundEntry, RepositoryConfig } from './facts.ts'
import {
  configEntriesIn,
  directoryNamedBy,
  gitDirectoriesOf,
  gitlinksOf,
  hooksIn,
  isSamePlace,
  joined,
  type Repository,
  repositoriesAbove,
  repositoryIn,
  textOf,
  type UnreadableRepository,
  unreadableRepository,
} from './git-directory.ts'
import type { Lookup, PathQuestion } from './lookup.ts'

/**
 * Reads the repository-scope configuration and the hooks that git may find from a directory, and those of
 * repositories inside its work tree: `git status` and `git diff` start git in each.
 * Does not use `git config --list`: no program starts, so a hostile repository can run nothing; no other
 * git's safe.directory or environment interferes; and it takes microseconds.
 * Git takes the first repository on the way up; here every one counts, so that none can hide a key, whether
 * only git accepts it or only this code. What cannot be read is reported, never skipped.
 */
export async function readRepositoryConfig(directory: string, lookup: Lookup): Promise<RepositoryConfig> {
  const usual = repositoryQuestions(directory)
  await lookup.ask(usual)
  const more: PathQuestion[] = []
  for (;;) {
    const walk = new Walk(lookup)
    const config = walk.from(directory)
    // Questions that came up during the walk are asked, and the walk repeated, before its result counts.
    const asked = await lookup.fill()
    more.push(...asked)
    if (asked.length > 0) continue
    if (more.length > 0) remember(directory, [...usual, ...more])
    return config
  }
}

const maxRepositories = 2_000

/** One pass over the cached answers. It skips missing ones, to collect all questions for the next pass. */
class Walk {
  readonly #lookup: Lookup
  readonly #entries: FoundEntry[] = []
  readonly #hooks: string[] = []
  readonly #repositories = new Map<string, Repository>()
  #problem: UnreadableRepository | undefined

  constructor(lookup: Lookup) {
    this.#lookup = lookup
  }

  from(directory: string): RepositoryConfig {
    for (const repository of repositoriesAbove(directory, this.#lookup)) this.#meet(repository)
    // Iterating a map includes entries added meanwhile: the repositories inside.
    for (const repository of this.#repositories.values()) this.#read(repository)
    if (this.#problem) return this.#problem
    const [entries, hooks] = [this.#entries, this.#hooks]
    return entries.length + hooks.length > 0 ? { kind: 'read', entries, hooks } : { kind: 'none' }
  }

  #meet(repository: Repository | UnreadableRepository): void {
    if ('kind' in repository) this.#fail(repository)
    else if (this.#repositories.size < maxRepositories)
      this.#repositories.set(`${repository.gitDirectory}\0${repository.top}`, repository)
    else this.#fail(unreadableRepository(repository.gitDirectory, repositoryProblems.tooDeep))
  }

  #fail(problem: UnreadableRepository): void {
    this.#problem ??= problem
  }

  #read(repository: Repository): void {
    const tops = repository.top === undefined ? [] : [repository.top]
    for (const directory of gitDirectoriesOf(repository.gitDirectory, this.#lookup)) {
      if (typeof directory !== 'string') {
        this.#fail(directory)
        continue
      }
      this.#readHooks(joined(directory, 'hooks'))
      const entries = configEntriesIn(directory, this.#lookup)
      if ('kind' in entries) this.#fail(entries)
      else for (const entry of entries) this.#take(entry, repository, tops)
    }
    for (const path of gitlinksOf(repository.gitDirectory, this.#lookup))
      if (typeof path !== 'string') this.#fail(path)
      else for (const top of tops) this.#enter(`${top}/${path}`)
  }

  #take(entry: FoundEntry, repository: Repository, tops: string[]): void {
    if (entry.key === 'core.hookspath') {
      const directory = directoryNamedBy(entry, repository.top ?? repository.gitDirectory)
      if (typeof directory === 'string') this.#readHooks(directory)
      else this.#fail(directory)
    }
    if (entry.key === 'core.worktree') {
      const worktree = directoryNamedBy(entry, repository.gitDirectory)
      // A submodule's configuration names the directory of its `.git` file, which is its work tree already.
      if (typeof worktree !== 'string') this.#fail(worktree)
      else if (tops.every((top) => !isSamePlace(top, worktree, this.#lookup))) {
        tops.push(worktree)
        this.#entries.push(entry)
      }
    } else this.#entries.push(entry)
  }

  #readHooks(directory: string): void {
    const hooks = hooksIn(directory, this.#lookup)
    if ('kind' in hooks) this.#fail(hooks)
    else this.#hooks.push(...hooks)
  }

  #enter(directory: string): void {
    const repository = repositoryIn(directory, this.#lookup)
    if (repository) this.#meet(repository)
  }
}

/** The likely questions: those of the last decision about git in the directory. */
export function repositoryQuestions(directory: string): readonly PathQuestion[] {
  const known = usualQuestions.get(directory)
  if (known) return known
  const questions: PathQuestion[] = []
  for (let at = directory; ; at = dirname(at)) {
    questions.push({ kind: 'exists', path: joined(at, 'HEAD') }, textOf(joined(at, '.git')))
    if (dirname(at) === at) return questions
  }
}

const usualQuestions = new Map<string, readonly PathQuestion[]>()
const maxDirectories = 1000
/** More questions than this are not remembered: such a repository is read from the beginning each time. */
const maxQuestions = 200

function remember(directory: string, questions: readonly PathQuestion[]): void {
  if (usualQuestions.size >= maxDirectories) usualQuestions.clear()
  if (questions.length > maxQuestions) usualQuestions.delete(directory)
  else usualQuestions.set(directory, questions)
}
