import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, statSync } from 'node:fs'
import { dirname, isAbsolute, join } from 'node:path'
import type { ConfigEntry, RepositoryConfig } from '../policy/repositories.ts'
import { parseGitConfig } from './git-config.ts'

const LARGEST_FILE = 1_048_576

/**
 * The repository-scope configuration that git may find from a directory.
 *
 * Read here, not by `git config --list`: no program starts, so nothing of a hostile repository can, no second git's idea of
 * safe.directory or of its environment comes in between, and it costs microseconds. Includes need not be followed, for an
 * include is itself a reason to ask. Git takes the first repository on the way up; here every one counts, so a directory that
 * git passes over, or one that only it takes for a repository, cannot hide a key. What cannot be read is said, never skipped.
 */
export function readRepositoryConfig(directory: string): RepositoryConfig {
  const entries: ConfigEntry[] = []
  let found = false
  for (const gitDirectory of gitDirectories(directory)) {
    if (typeof gitDirectory !== 'string') return gitDirectory
    for (const file of configFiles(gitDirectory)) {
      if (typeof file !== 'string') return file
      const read = entriesOf(file)
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
function* gitDirectories(from: string): Generator<string | Unreadable> {
  for (let directory = from; ; directory = dirname(directory)) {
    // Without HEAD git takes no directory for a repository (setup.c, is_git_directory); many have a file called config.
    if (mayExist(join(directory, 'HEAD'))) yield directory
    const dotGit = join(directory, '.git')
    const text = readSmall(dotGit)
    if (typeof text === 'object') yield text
    if (typeof text === 'string') {
      const [, target] = /^gitdir: ([^\n]*?)[\r\n]*$/.exec(text) ?? []
      if (target === undefined) yield unreadable(dotGit, 'it is not a "gitdir:" file')
      else yield below(directory, target)
    } else yield dotGit
    if (dirname(directory) === directory) return
  }
}

/** Not shortened: the parent of a symbolic link is not where `..` leads. */
function below(directory: string, path: string): string {
  return isAbsolute(path) ? path : `${directory}/${path}`
}

/** What cannot be looked at may exist. A symbolic link counts, wherever it leads. */
function mayExist(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch (error) {
    return codeOf(error) !== 'ENOTDIR'
  }
}

/** A linked worktree has its own directory and shares the configuration of the common one (gitrepository-layout(5)). */
function* configFiles(gitDirectory: string): Generator<string | Unreadable> {
  yield join(gitDirectory, 'config')
  yield join(gitDirectory, 'config.worktree')
  const common = readSmall(join(gitDirectory, 'commondir'))
  if (typeof common === 'object') yield common
  if (typeof common !== 'string') return
  const shared = below(gitDirectory, common.replace(/[\r\n]+$/, ''))
  yield join(shared, 'config')
  yield join(shared, 'config.worktree')
}

function entriesOf(file: string): readonly ConfigEntry[] | Unreadable | undefined {
  const text = readSmall(file)
  if (typeof text !== 'string') return text
  return parseGitConfig(text) ?? unreadable(file, 'it is not a git configuration')
}

/** The text of a regular file; undefined when there is none, or it is a directory. */
function readSmall(file: string): string | Unreadable | undefined {
  let descriptor: number | undefined
  try {
    // Asked first, for most of the files do not exist, and an error costs more than an answer.
    if (statSync(file, { throwIfNoEntry: false })?.isDirectory() !== false) return undefined
    // Not blocking: a FIFO in the place of the file must not hold the decision up.
    descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    const status = fstatSync(descriptor)
    if (!status.isFile()) return unreadable(file, 'it is not a regular file')
    if (status.size > LARGEST_FILE) return unreadable(file, 'it is larger than 1 MiB')
    return readFileSync(descriptor, 'utf8')
  } catch (error) {
    const code = codeOf(error)
    return code === 'ENOENT' || code === 'ENOTDIR' ? undefined : unreadable(file, code)
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}

function unreadable(path: string, why: string): Unreadable {
  return { kind: 'unreadable', path, why }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error)
}
