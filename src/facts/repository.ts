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
 * The repository-scope configuration and the hooks that git may find from a directory, and those of the repositories that
 * stand inside its work tree: `git status` and `git diff` start git in each.
 *
 * Read here, not by `git config --list`: no program starts, so nothing of a hostile repository can, no second git's idea of
 * safe.directory or of its environment comes in between, and it costs microseconds. Includes need not be followed, for an
 * include is itself a reason to ask. Git takes the first repository on the way up; here every one counts, so a directory that
 * git passes over, or one that only it takes for a repository, cannot hide a key. What cannot be read is said, never skipped.
 */
export async function readRepositoryConfig(directory: string, look: Look): Promise<RepositoryConfig> {
  const usual = repositoryQuestions(directory)
  await look.ask(usual)
  const more: Question[] = []
  for (;;) {
    const walk = new Walk(look)
    const config = walk.from(directory)
    // What it named on the way is looked at, too, before it is believed.
    const asked = await look.fill()
    more.push(...asked)
    if (asked.length > 0) continue
    if (more.length > 0) remember(directory, [...usual, ...more])
    return config
  }
}

/** More repositories than a work tree holds. */
const mostRepositories = 2_000

/** One pass over what is seen so far. It goes on past what is not, so that one pass names all that the next one needs. */
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
    // A map goes on to what is added while it is walked: the repositories inside.
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
      // A submodule's configuration names the directory that its `.git` file stands in.
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

/** What a decision about git asks, from a directory up, to be asked together: what one asked last time, for most ask the same again. */
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
/** A repository that names something else each time is asked about from the beginning. */
const mostQuestions = 200

function remember(directory: string, questions: readonly Question[]): void {
  if (usualQuestions.size >= mostDirectories) usualQuestions.clear()
  if (questions.length > mostQuestions) usualQuestions.delete(directory)
  else usualQuestions.set(directory, questions)
}
