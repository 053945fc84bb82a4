import { dirname, isAbsolute } from 'node:path'
import type { ConfigEntry, RepositoryConfig } from '../policy/repositories.ts'
import { parseGitConfig } from './git-config.ts'
import { isWhole, type Look, type Question } from './look.ts'

/**
 * The repository-scope configuration that git may find from a directory.
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
    const config = walkUp(directory, look)
    // What it named on the way is looked at, too, before it is believed.
    const asked = await look.fill()
    more.push(...asked)
    if (asked.length > 0) continue
    if (more.length > 0) remember(directory, [...usual, ...more])
    return config
  }
}

/** From what is seen so far. */
function walkUp(directory: string, look: Look): RepositoryConfig {
  const entries: ConfigEntry[] = []
  let found = false
  for (const gitDirectory of gitDirectories(directory, look)) {
    if (typeof gitDirectory !== 'string') return gitDirectory
    for (const file of configFiles(gitDirectory, look)) {
      if (typeof file !== 'string') return file
      const read = entriesOf(file, look)
      if (read === undefined) continue
      if ('kind' in read) return read
      found = true
      entries.push(...read)
    }
  }
  return found ? { kind: 'read', entries } : { kind: 'none' }
}

type Unreadable = Extract<RepositoryConfig, { kind: 'unreadable' }>

/** Directories on the way up that may be repositories: `.git`, what a `.git` file names, and the directory itself, bare. */
function* gitDirectories(from: string, look: Look): Generator<string | Unreadable> {
  for (let directory = from; ; directory = dirname(directory)) {
    // Without HEAD git takes no directory for a repository (setup.c, is_git_directory); many have a file called config.
    if (mayExist(inside(directory, 'HEAD'), look)) yield directory
    const dotGit = inside(directory, '.git')
    const text = readSmall(dotGit, look)
    if (typeof text === 'object') yield text
    if (typeof text === 'string') {
      const [, target] = /^gitdir: ([^\n]*?)[\r\n]*$/.exec(text) ?? []
      if (target === undefined) yield unreadable(dotGit, 'it is not a "gitdir:" file')
      else yield below(directory, target, dotGit)
    } else if (mayBeDirectory(dotGit, look)) yield dotGit
    if (dirname(directory) === directory) return
  }
}

/** Where a file says that something is. Not shortened, here or behind it: the parent of a symbolic link is not where `..` leads. */
function below(directory: string, path: string, saidBy: string): string | Unreadable {
  if (path.includes('\0')) return unreadable(saidBy, 'there is a NUL byte in the name')
  if (!isWhole(path)) return unreadable(saidBy, 'the name in it is not valid UTF-8')
  return isAbsolute(path) ? path : `${directory}/${path}`
}

/** A linked worktree has its own directory and shares the configuration of the common one (gitrepository-layout(5)). */
function* configFiles(gitDirectory: string, look: Look): Generator<string | Unreadable> {
  for (const name of configNames) look.see(textOf(`${gitDirectory}/${name}`))
  yield `${gitDirectory}/config`
  yield `${gitDirectory}/config.worktree`
  const commonFile = `${gitDirectory}/commondir`
  const common = readSmall(commonFile, look)
  if (typeof common === 'object') yield common
  if (typeof common !== 'string') return
  const shared = below(gitDirectory, common.replace(/[\r\n]+$/, ''), commonFile)
  if (typeof shared === 'object') yield shared
  for (const name of configNames) look.see(textOf(`${shared}/${name}`))
  yield `${shared}/config`
  yield `${shared}/config.worktree`
}

function entriesOf(file: string, look: Look): readonly ConfigEntry[] | Unreadable | undefined {
  const text = readSmall(file, look)
  if (typeof text !== 'string') return text
  return parseGitConfig(text) ?? unreadable(file, 'it is not a git configuration')
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

/** Of a directory as `where` gives it, or the root. path.join would put the whole path in order each time. */
function inside(directory: string, name: string): string {
  return directory === '/' ? `/${name}` : `${directory}/${name}`
}

const configNames = ['config', 'config.worktree', 'commondir']

function textOf(path: string): Question {
  return { kind: 'text', path }
}

/** What cannot be looked at may exist. A symbolic link counts, wherever it leads. */
function mayExist(path: string, look: Look): boolean {
  const answer = look.see({ kind: 'exists', path })
  return !('failed' in answer) || !isAbsent(answer.failed)
}

/** Of what has no text. Below what is not there nothing is. */
function mayBeDirectory(path: string, look: Look): boolean {
  const answer = look.see(textOf(path))
  return !('failed' in answer) || !isAbsent(answer.failed)
}

/** The text of a regular file; undefined when there is none, or it is a directory. */
function readSmall(path: string, look: Look): string | Unreadable | undefined {
  const answer = look.see(textOf(path))
  if ('found' in answer) return answer.found
  const { failed } = answer
  return isAbsent(failed) || failed === 'EISDIR' ? undefined : unreadable(path, reasons[failed] ?? failed)
}

function isAbsent(code: string): boolean {
  return code === 'ENOENT' || code === 'ENOTDIR'
}

const reasons: Readonly<Record<string, string>> = {
  EINVAL: 'it is not a regular file',
  EFBIG: 'it is larger than 1 MiB',
  ETIMEDOUT: 'its file system does not answer',
  EBUSY: 'other file systems do not answer',
}

function unreadable(path: string, why: string): Unreadable {
  return { kind: 'unreadable', path, why }
}
