import { dirname } from 'node:path'
import type { FoundEntry, RepositoryConfig } from './facts.ts'
import {
  directoryNamedBy,
  entriesIn,
  gitlinksOf,
  hooksIn,
  inside,
  isSamePlace,
  type Repository,
  repositoriesAbove,
  repositoryIn,
  shares,
  textOf,
  type Unreadable,
  unreadable,
} from './git-directory.ts'
import type { Look, Question } from './look.ts'

/**
 * Reads the repository-scope configuration and the hooks that git may find from a directory, and those of
 * repositories inside its work tree: `git status` and `git diff` start git in each.
 * Does not use `git config --list`: no program starts, so a hostile repository can run nothing; no other
 * git's safe.directory or environment interferes; and it takes microseconds. Includes are not followed,
 * because an include is itself a reason to ask.
 * Git takes the first repository on the way up; here every one counts, so that none can hide a key, whether
 * only git accepts it or only this code. What cannot be read is reported, never skipped.
 */
export async function readRepositoryConfig(directory: string, look: Look): Promise<RepositoryConfig> {
  const usual = repositoryQuestions(directory)
  await look.ask(usual)
  const more: Question[] = []
  for (;;) {
    const walk = new Walk(look)
    const config = walk.from(directory)
    // Questions that came up during the walk are asked, and the walk repeated, before its result counts.
    const asked = await look.fill()
    more.push(...asked)
    if (asked.length > 0) continue
    if (more.length > 0) remember(directory, [...usual, ...more])
    return config
  }
}

const mostRepositories = 2_000

/** One pass over the cached answers. It skips missing ones, to collect all questions for the next pass. */
class Walk {
  readonly #look: Look
  readonly #entries: FoundEntry[] = []
  readonly #hooks: string[] = []
  readonly #repositories = new Map<string, Repository>()
  #problem: Unreadable | undefined

  constructor(look: Look) {
    this.#look = look
  }

  from(directory: string): RepositoryConfig {
    for (const repository of repositoriesAbove(directory, this.#look)) this.#meet(repository)
    // Iterating a map includes entries added meanwhile: the repositories inside.
    for (const repository of this.#repositories.values()) this.#read(repository)
    if (this.#problem) return this.#problem
    const [entries, hooks] = [this.#entries, this.#hooks]
    return entries.length + hooks.length > 0 ? { kind: 'read', entries, hooks } : { kind: 'none' }
  }

  #meet(repository: Repository | Unreadable): void {
    if ('kind' in repository) this.#fail(repository)
    else if (this.#repositories.size < mostRepositories)
      this.#repositories.set(`${repository.gitDirectory}\0${repository.top}`, repository)
    else this.#fail(unreadable(repository.gitDirectory, 'too many repositories stand inside each other'))
  }

  #fail(problem: Unreadable): void {
    this.#problem ??= problem
  }

  #read(repository: Repository): void {
    const tops = repository.top === undefined ? [] : [repository.top]
    for (const directory of shares(repository.gitDirectory, this.#look)) {
      if (typeof directory !== 'string') {
        this.#fail(directory)
        continue
      }
      this.#readHooks(inside(directory, 'hooks'))
      const entries = entriesIn(directory, this.#look)
      if ('kind' in entries) this.#fail(entries)
      else for (const entry of entries) this.#take(entry, repository, tops)
    }
    for (const path of gitlinksOf(repository.gitDirectory, this.#look))
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
      else if (tops.every((top) => !isSamePlace(top, worktree, this.#look))) {
        tops.push(worktree)
        this.#entries.push(entry)
      }
    } else this.#entries.push(entry)
  }

  #readHooks(directory: string): void {
    const hooks = hooksIn(directory, this.#look)
    if ('kind' in hooks) this.#fail(hooks)
    else this.#hooks.push(...hooks)
  }

  #enter(directory: string): void {
    const repository = repositoryIn(directory, this.#look)
    if (repository) this.#meet(repository)
  }
}

/**
 * The likely questions of a decision about git: those of the last decision for the directory, because most
 * ask the same again.
 */
export function repositoryQuestions(directory: string): readonly Question[] {
  const known = usualQuestions.get(directory)
  if (known) return known
  const questions: Question[] = []
  for (let at = directory; ; at = dirname(at)) {
    questions.push({ kind: 'exists', path: inside(at, 'HEAD') }, textOf(inside(at, '.git')))
    if (dirname(at) === at) return questions
  }
}

const usualQuestions = new Map<string, readonly Question[]>()
const mostDirectories = 1000
/** More questions than this are not remembered: such a repository is read from the beginning each time. */
const mostQuestions = 200

function remember(directory: string, questions: readonly Question[]): void {
  if (usualQuestions.size >= mostDirectories) usualQuestions.clear()
  if (questions.length > mostQuestions) usualQuestions.delete(directory)
  else usualQuestions.set(directory, questions)
}
