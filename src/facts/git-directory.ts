import { dirname, isAbsolute } from 'node:path'
import type { FoundEntry, RepositoryConfig } from './facts.ts'
import { parseGitConfig } from './git-config.ts'
import { type Answer, isWhole, type Look, type Question } from './look.ts'

export type Unreadable = Extract<RepositoryConfig, { kind: 'unreadable' }>

/** A directory that git may take for a repository, and its work tree where that is known. */
export interface Repository {
  readonly gitDirectory: string
  readonly top: string | undefined
}

/**
 * Possible repositories of a directory and its parents: `.git`, the target of a `.git` file, and the
 * directory itself as a bare repository.
 */
export function* repositoriesAbove(from: string, look: Look): Generator<Repository | Unreadable> {
  for (let directory = from; ; directory = dirname(directory)) {
    // Git accepts no directory without HEAD as a repository (setup.c, is_git_directory); many directories
    // have a file called config.
    if (mayExist(inside(directory, 'HEAD'), look)) yield { gitDirectory: directory, top: undefined }
    const found = repositoryIn(directory, look)
    if (found) yield found
    if (dirname(directory) === directory) return
  }
}

/** Undefined when the directory has no `.git`. */
export function repositoryIn(directory: string, look: Look): Repository | Unreadable | undefined {
  const dotGit = inside(directory, '.git')
  const text = readSmall(dotGit, look)
  if (typeof text === 'object') return text
  if (text === undefined)
    return mayBeDirectory(dotGit, look) ? { gitDirectory: dotGit, top: directory } : undefined
  const [, target] = /^gitdir: ([^\n]*?)[\r\n]*$/.exec(text) ?? []
  if (target === undefined) return unreadable(dotGit, 'it is not a "gitdir:" file')
  const gitDirectory = below(directory, target, dotGit)
  return typeof gitDirectory === 'string' ? { gitDirectory, top: directory } : gitDirectory
}

/**
 * The git directory, and the common directory of a linked worktree, which shares its configuration and hooks
 * (gitrepository-layout(5)).
 */
export function* shares(gitDirectory: string, look: Look): Generator<string | Unreadable> {
  for (const name of configNames) look.see(textOf(inside(gitDirectory, name)))
  yield gitDirectory
  const commonFile = inside(gitDirectory, 'commondir')
  const common = readSmall(commonFile, look)
  if (typeof common === 'object') yield common
  if (typeof common !== 'string') return
  const shared = below(gitDirectory, common.replace(/[\r\n]+$/, ''), commonFile)
  if (typeof shared === 'string') for (const name of configNames) look.see(textOf(inside(shared, name)))
  yield shared
}

export function entriesIn(directory: string, look: Look): readonly FoundEntry[] | Unreadable {
  const entries: FoundEntry[] = []
  for (const name of ['config', 'config.worktree']) {
    const file = inside(directory, name)
    const text = readSmall(file, look)
    if (typeof text === 'object') return text
    if (text === undefined) continue
    const read = parseGitConfig(text)
    if (!read) return unreadable(file, 'it is not a git configuration')
    entries.push(...read.map((entry) => ({ ...entry, file })))
  }
  return entries
}

export function hooksIn(directory: string, look: Look): readonly string[] | Unreadable {
  const names = namesOf(directory, look)
  return 'kind' in names ? names : names.map((name) => inside(directory, name))
}

export function directoryNamedBy({ key, value, file }: FoundEntry, from: string): string | Unreadable {
  return below(from, value, `${file}: ${key}`)
}

/** Includes shared parts of a split index (gitformat-index(5)). */
export function* gitlinksOf(gitDirectory: string, look: Look): Generator<string | Unreadable> {
  const names = namesOf(gitDirectory, look)
  if ('kind' in names) return yield names
  const indexes = names.filter((name) => name === 'index' || name.startsWith('sharedindex.'))
  for (const name of indexes) {
    const file = inside(gitDirectory, name)
    const answer = look.see({ kind: 'gitlinks', path: file })
    const problem = problemOf(file, answer)
    if (problem) yield problem
    else if ('found' in answer)
      for (const path of answer.found.split('\0').slice(0, -1))
        yield isWhole(path) ? path : unreadable(file, 'a name in it is not valid UTF-8')
  }
}

export function isSamePlace(one: string, other: string, look: Look): boolean {
  const [first, second] = [one, other].map((path) => look.see({ kind: 'where', path }))
  return first !== undefined && second !== undefined && 'found' in first && 'found' in second
    ? first.found === second.found
    : false
}

const configNames = ['config', 'config.worktree', 'commondir']

/**
 * A path from a file's content. Neither it nor what is appended to it is normalized: `..` behind a symbolic
 * link does not lead to the link's parent.
 */
function below(directory: string, path: string, saidBy: string): string | Unreadable {
  if (path.includes('\0')) return unreadable(saidBy, 'there is a NUL byte in the name')
  if (!isWhole(path)) return unreadable(saidBy, 'the name in it is not valid UTF-8')
  return isAbsolute(path) ? path : `${directory}/${path}`
}

/** Joins a name to a directory. path.join would normalize the whole path each time. */
export function inside(directory: string, name: string): string {
  return directory === '/' ? `/${name}` : `${directory}/${name}`
}

export function textOf(path: string): Question {
  return { kind: 'text', path }
}

/** True also when the lookup fails for another reason, and for any symbolic link. */
function mayExist(path: string, look: Look): boolean {
  const answer = look.see({ kind: 'exists', path })
  return !('failed' in answer) || !isAbsent(answer.failed)
}

/** For a path without text: false only when it does not exist. */
function mayBeDirectory(path: string, look: Look): boolean {
  const answer = look.see(textOf(path))
  return !('failed' in answer) || !isAbsent(answer.failed)
}

/** Undefined when it does not exist or is a directory. */
function readSmall(path: string, look: Look): string | Unreadable | undefined {
  const answer = look.see(textOf(path))
  return 'found' in answer ? answer.found : problemOf(path, answer)
}

/** Empty when the directory does not exist. */
function namesOf(directory: string, look: Look): readonly string[] | Unreadable {
  const answer = look.see({ kind: 'names', path: directory })
  if ('found' in answer)
    return answer.found
      .split('\0')
      .slice(0, -1)
      .map((entry) => entry.slice(1))
  return problemOf(directory, answer) ?? []
}

/** Undefined when the file was read or does not exist, or is a directory. */
function problemOf(path: string, answer: Answer): Unreadable | undefined {
  if ('found' in answer || isAbsent(answer.failed) || answer.failed === 'EISDIR') return undefined
  return unreadable(path, reasons[answer.failed] ?? answer.failed)
}

function isAbsent(code: string): boolean {
  return code === 'ENOENT' || code === 'ENOTDIR'
}

const reasons: Readonly<Record<string, string>> = {
  EINVAL: 'it is not a regular file',
  EFBIG: 'it is too large',
  EBADMSG: 'it is not a git index',
  ENOBUFS: 'there is too much in it',
  ETIMEDOUT: 'its file system does not answer',
  EBUSY: 'other file systems do not answer',
}

export function unreadable(path: string, why: string): Unreadable {
  return { kind: 'unreadable', path, why }
}
