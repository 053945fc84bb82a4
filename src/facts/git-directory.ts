import { dirname, isAbsolute } from 'node:path'
import { isInclude, parseGitConfig } from '../base/git/config.ts'
import { repositoryErrors, repositoryProblems } from '../messages/repository.ts'
import type { FoundEntry, RepositoryConfig } from './facts.ts'
import { isWhole, type Lookup, type PathAnswer, type PathQuestion } from './lookup.ts'

export type UnreadableRepository = Extract<RepositoryConfig, { kind: 'unreadable' }>

/** A directory that git may take for a repository, and its work tree where that is known. */
export interface Repository {
  readonly gitDirectory: string
  readonly top: string | undefined
}

/** Of a directory and its parents: `.git`, the target of a `.git` file, or itself as bare repository. */
export function* repositoriesAbove(
  from: string,
  lookup: Lookup,
): Generator<Repository | UnreadableRepository> {
  for (let directory = from; ; directory = dirname(directory)) {
    // Git takes no directory without HEAD (setup.c, is_git_directory); many have a file called config.
    if (mayExist(joined(directory, 'HEAD'), lookup)) yield { gitDirectory: directory, top: undefined }
    const found = repositoryIn(directory, lookup)
    if (found) yield found
    if (dirname(directory) === directory) return
  }
}

export function repositoryIn(
  directory: string,
  lookup: Lookup,
): Repository | UnreadableRepository | undefined {
  const dotGit = joined(directory, '.git')
  const text = readSmall(dotGit, lookup)
  if (typeof text === 'object') return text
  if (text === undefined)
    return mayBeDirectory(dotGit, lookup) ? { gitDirectory: dotGit, top: directory } : undefined
  const [, target] = /^gitdir: ([^\n]*?)[\r\n]*$/.exec(text) ?? []
  if (target === undefined) return unreadableRepository(dotGit, repositoryProblems.notGitdirFile)
  const gitDirectory = below(directory, target, dotGit)
  return typeof gitDirectory === 'string' ? { gitDirectory, top: directory } : gitDirectory
}

/** And a linked worktree's common directory, for configuration and hooks (gitrepository-layout(5)). */
export function* gitDirectoriesOf(
  gitDirectory: string,
  lookup: Lookup,
): Generator<string | UnreadableRepository> {
  for (const name of configNames) lookup.see(textOf(joined(gitDirectory, name)))
  yield gitDirectory
  const commonFile = joined(gitDirectory, 'commondir')
  const common = readSmall(commonFile, lookup)
  if (typeof common === 'object') yield common
  if (typeof common !== 'string') return
  const shared = below(gitDirectory, common.replace(/[\r\n]+$/, ''), commonFile)
  if (typeof shared === 'string') for (const name of configNames) lookup.see(textOf(joined(shared, name)))
  yield shared
}

/** The entries of a git directory's configurations and of the files that they include, under any condition. */
export function configEntriesIn(
  directory: string,
  lookup: Lookup,
): readonly FoundEntry[] | UnreadableRepository {
  const entries: FoundEntry[] = []
  // Iterating a set includes what is added meanwhile.
  const files = new Set(['config', 'config.worktree'].map((name) => joined(directory, name)))
  for (const file of files) {
    if (files.size > maxIncludes) return unreadableRepository(file, repositoryProblems.tooManyIncludes)
    const answer = lookup.see(textOf(file))
    const problem = problemOf(file, answer)
    if (problem) return problem
    if ('failed' in answer) continue
    const read = entriesOf(file, answer)
    if (!read) return unreadableRepository(file, repositoryProblems.notConfiguration)
    for (const entry of read) {
      const included = fileIncludedBy(entry)
      if (included === undefined) entries.push(entry)
      else if (typeof included === 'object') return included
      else files.add(included)
    }
  }
  return entries
}

const maxIncludes = 100

/** Answers about an unchanged file are one object. */
const parsed = new WeakMap<PathAnswer, readonly FoundEntry[]>()

function entriesOf(file: string, answer: { readonly found: string }): readonly FoundEntry[] | undefined {
  const entries = parsed.get(answer) ?? parseGitConfig(answer.found)?.map((entry) => ({ ...entry, file }))
  if (entries) parsed.set(answer, entries)
  return entries
}

/** Undefined for another entry, and where the home directory or prefix of git would have to be known. */
function fileIncludedBy(entry: FoundEntry): string | UnreadableRepository | undefined {
  const { key, value, file } = entry
  if (!isInclude(entry) || /^[~%:]/.test(value)) return undefined
  return below(dirname(file), value, `${file}: ${key}`)
}

export function hooksIn(directory: string, lookup: Lookup): readonly string[] | UnreadableRepository {
  const names = namesOf(directory, lookup)
  return 'kind' in names ? names : names.map((name) => joined(directory, name))
}

export function directoryNamedBy(
  { key, value, file }: FoundEntry,
  from: string,
): string | UnreadableRepository {
  return below(from, value, `${file}: ${key}`)
}

/** Includes shared parts of a split index (gitformat-index(5)). */
export function* gitlinksOf(gitDirectory: string, lookup: Lookup): Generator<string | UnreadableRepository> {
  const names = namesOf(gitDirectory, lookup)
  if ('kind' in names) return yield names
  const indexes = names.filter((name) => name === 'index' || name.startsWith('sharedindex.'))
  for (const name of indexes) {
    const file = joined(gitDirectory, name)
    const answer = lookup.see({ kind: 'gitlinks', path: file })
    const problem = problemOf(file, answer)
    if (problem) yield problem
    else if ('found' in answer)
      for (const path of answer.found.split('\0').slice(0, -1))
        yield isWhole(path) ? path : unreadableRepository(file, repositoryProblems.invalidName)
  }
}

export function isSamePlace(one: string, other: string, lookup: Lookup): boolean {
  const [first, second] = [one, other].map((path) => lookup.see({ kind: 'where', path }))
  return first !== undefined && second !== undefined && 'found' in first && 'found' in second
    ? first.found === second.found
    : false
}

const configNames = ['config', 'config.worktree', 'commondir']

/** A path from a file's content. Not normalized: `..` behind a symlink does not lead to the link's parent. */
function below(directory: string, path: string, saidBy: string): string | UnreadableRepository {
  if (path.includes('\0')) return unreadableRepository(saidBy, repositoryProblems.nulInPath)
  if (!isWhole(path)) return unreadableRepository(saidBy, repositoryProblems.invalidPath)
  return isAbsolute(path) ? path : `${directory}/${path}`
}

/** Joins a name to a directory. path.join would normalize the whole path each time. */
export function joined(directory: string, name: string): string {
  return directory === '/' ? `/${name}` : `${directory}/${name}`
}

export function textOf(path: string): PathQuestion {
  return { kind: 'text', path }
}

/** True also when the lookup fails for another reason, and for any symbolic link. */
function mayExist(path: string, lookup: Lookup): boolean {
  const answer = lookup.see({ kind: 'exists', path })
  return !('failed' in answer) || !isAbsent(answer.failed)
}

/** For a path without text: false only when it does not exist. */
function mayBeDirectory(path: string, lookup: Lookup): boolean {
  const answer = lookup.see(textOf(path))
  return !('failed' in answer) || !isAbsent(answer.failed)
}

/** Undefined when it does not exist or is a directory. */
function readSmall(path: string, lookup: Lookup): string | UnreadableRepository | undefined {
  const answer = lookup.see(textOf(path))
  return 'found' in answer ? answer.found : problemOf(path, answer)
}

function namesOf(directory: string, lookup: Lookup): readonly string[] | UnreadableRepository {
  const answer = lookup.see({ kind: 'names', path: directory })
  if ('found' in answer)
    return answer.found
      .split('\0')
      .slice(0, -1)
      .map((entry) => entry.slice(1))
  return problemOf(directory, answer) ?? []
}

/** Undefined when the file was read or does not exist, or is a directory. */
function problemOf(path: string, answer: PathAnswer): UnreadableRepository | undefined {
  if ('found' in answer || isAbsent(answer.failed) || answer.failed === 'EISDIR') return undefined
  return unreadableRepository(path, repositoryErrors[answer.failed] ?? answer.failed)
}

function isAbsent(code: string): boolean {
  return code === 'ENOENT' || code === 'ENOTDIR'
}

export function unreadableRepository(path: string, why: string): UnreadableRepository {
  return { kind: 'unreadable', path, why }
}
