import { canEnter } from './directory.ts'
import type { Facts, FactsNeeded } from './facts.ts'
import { expandGlob, globQuestions } from './glob.ts'
import { type Look, namesIn, whereIs } from './look.ts'
import { foreignPrograms, programQuestions } from './programs.ts'
import { readRepositoryConfig, repositoryQuestions } from './repository.ts'

/** What facts are gathered around. */
export interface Surroundings {
  /** `[policy] workspace`, empty when there is none. */
  readonly workspace: string
  /** vitrine's own config files and directories of state. */
  readonly ownPaths: readonly string[]
  /** PATH, as commands get it; empty: their programs are not this machine's. */
  readonly programPath: string
  /** Directories of projects: a program that stands in one is not known by its name. */
  readonly projects: readonly string[]
}

/**
 * Looks up what a decision needs to know, and, first, whether the current directory can be entered. Changes nothing and starts nothing.
 * What cannot be found out is left out, which counts as unknown. It ends with the look's time: the rest is unknown then, and
 * `unanswered` names what did not answer.
 */
export async function gatherFacts(
  needed: FactsNeeded,
  { workspace, ownPaths, programPath, projects }: Surroundings,
  look: Look,
): Promise<Facts> {
  // What is to be protected comes first: it does not wait for what a line names.
  const protectedPaths = workspace === '' ? ownPaths : [...ownPaths, workspace]
  const paths = [...protectedPaths, ...needed.paths, ...needed.repositories, ...projects]
  const programs = programPath === '' ? [] : needed.programs
  await look.ask([
    ...needed.paths.slice(0, 1).map(canEnter),
    ...paths.map(whereIs),
    ...needed.directories.map(namesIn),
    ...needed.globs.flatMap(globQuestions),
    ...needed.repositories.flatMap((path) => repositoryQuestions(guesses.get(path) ?? path)),
    ...programQuestions(programs, programPath),
  ])
  const where = await look.where(paths)
  return {
    realPaths: new Map(needed.paths.flatMap((path) => pair(path, where.get(path)))),
    globs: await globsOf(needed, look),
    withoutDashes: await withoutDashes(needed.directories, look),
    repositories: await repositoriesAt(needed.repositories, where, look),
    foreignPrograms: await foreignPrograms(
      programs,
      { path: programPath, projects: projects.flatMap((path) => [path, where.get(path) ?? path]) },
      look,
    ),
    ...(workspace === '' ? {} : { workspace: where.get(workspace) ?? workspace }),
    ownPaths: ownPaths.flatMap((path) => [path, where.get(path) ?? path]),
    unanswered: look.unanswered,
  }
}

function pair<T>(path: string, fact: T | undefined): [string, T][] {
  return fact === undefined ? [] : [[path, fact]]
}

async function globsOf({ globs, couldMatch }: FactsNeeded, look: Look): Promise<Facts['globs']> {
  const found = new Map<string, readonly string[] | null>()
  for (const glob of globs) found.set(glob, await expandGlob(glob, couldMatch, look))
  return found
}

/** Directories in which no name begins with a dash. One that cannot be listed is none: what a glob finds there is not known. */
async function withoutDashes(directories: readonly string[], look: Look): Promise<ReadonlySet<string>> {
  if (directories.length === 0) return new Set()
  const listed = await look.names(directories)
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
  look: Look,
): Promise<Facts['repositories']> {
  const found: Facts['repositories'] extends ReadonlyMap<string, infer R> ? Map<string, R> : never = new Map()
  for (const directory of directories) {
    const real = where.get(directory)
    if (real === undefined) continue
    guesses.set(directory, real)
    found.set(directory, await readRepositoryConfig(real, look))
  }
  if (guesses.size > mostGuesses) guesses.clear()
  return found
}

/** Where directories led last time: only what is asked ahead is guessed by it, and where they lead now is asked, too. */
const guesses = new Map<string, string>()
const mostGuesses = 1000
