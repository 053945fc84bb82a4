import { canEnter } from './directory.ts'
import type { Facts, FactsNeeded, GlobMatches } from './facts.ts'
import { expandGlob, globQuestions } from './glob.ts'
import { type Lookup, namesIn, whereIs } from './lookup.ts'
import { foreignPrograms, programQuestions } from './programs.ts'
import { readRepositoryConfig, repositoryQuestions } from './repository.ts'

export interface FactsContext {
  readonly workspace: string
  readonly ownPaths: readonly string[]
  /** The PATH of commands; empty when their programs are not on this machine. */
  readonly programPath: string
  /** Project directories: a program in one of them is not trusted by its name. */
  readonly projects: readonly string[]
}

/**
 * Looks up a decision's facts, and first whether the directory can be entered. Absent facts are unknown;
 * `unanswered` names the paths that did not answer within the limit of `lookup`.
 */
export async function gatherFacts(
  needed: FactsNeeded,
  { workspace, ownPaths, programPath, projects }: FactsContext,
  lookup: Lookup,
): Promise<Facts> {
  // Protected paths come first, so that they do not wait for paths that a line names.
  const protectedPaths = workspace === '' ? ownPaths : [...ownPaths, workspace]
  const paths = [...protectedPaths, ...needed.paths, ...needed.repositories, ...projects]
  const programs = programPath === '' ? [] : needed.programs
  await lookup.ask([
    ...needed.paths.slice(0, 1).map(canEnter),
    ...paths.map(whereIs),
    ...needed.directories.map(namesIn),
    ...needed.globs.flatMap(globQuestions),
    ...needed.repositories.flatMap((path) => repositoryQuestions(guesses.get(path) ?? path)),
    ...programQuestions(programs, programPath),
  ])
  const where = await lookup.where(paths)
  return {
    realPaths: new Map(needed.paths.flatMap((path) => pair(path, where.get(path)))),
    globs: await globsOf(needed, lookup),
    withoutDashes: await withoutDashes(needed.directories, lookup),
    repositories: await repositoriesAt(needed.repositories, where, lookup),
    foreignPrograms: await foreignPrograms(
      programs,
      { path: programPath, projects: projects.flatMap((path) => [path, where.get(path) ?? path]) },
      lookup,
    ),
    ...(workspace === '' ? {} : { workspace: where.get(workspace) ?? workspace }),
    ownPaths: ownPaths.flatMap((path) => [path, where.get(path) ?? path]),
    unanswered: lookup.unanswered,
  }
}

function pair<T>(path: string, fact: T | undefined): [string, T][] {
  return fact === undefined ? [] : [[path, fact]]
}

async function globsOf({ globs, couldMatch }: FactsNeeded, lookup: Lookup): Promise<Facts['globs']> {
  const found = new Map<string, GlobMatches | null>()
  for (const glob of globs) found.set(glob, await expandGlob(glob, couldMatch, lookup))
  return found
}

/** One that cannot be listed is left out: the matches of a glob there are unknown. */
async function withoutDashes(directories: readonly string[], lookup: Lookup): Promise<ReadonlySet<string>> {
  if (directories.length === 0) return new Set()
  const listed = await lookup.names(directories)
  return new Set(
    directories.filter((_, at) => {
      const names = listed[at]
      return names && !('failed' in names) && names.every(({ name }) => !name.startsWith('-'))
    }),
  )
}

async function repositoriesAt(
  directories: readonly string[],
  where: ReadonlyMap<string, string>,
  lookup: Lookup,
): Promise<Facts['repositories']> {
  const found: Facts['repositories'] extends ReadonlyMap<string, infer R> ? Map<string, R> : never = new Map()
  for (const directory of directories) {
    const real = where.get(directory)
    if (real === undefined) continue
    guesses.set(directory, real)
    found.set(directory, await readRepositoryConfig(real, lookup))
  }
  if (guesses.size > maxGuesses) guesses.clear()
  return found
}

/** Earlier real paths. They only choose questions for the first batch; the present ones are asked for too. */
const guesses = new Map<string, string>()
const maxGuesses = 1000
