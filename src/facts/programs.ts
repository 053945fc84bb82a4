import { delimiter, dirname, isAbsolute } from 'node:path'
import { isProjectDirectory, systemDirectories } from '../base/program-path.ts'
import type { ForeignProgram } from './facts.ts'
import type { Lookup, PathAnswer, PathQuestion } from './lookup.ts'

export interface ProgramPlaces {
  readonly path: string
  readonly projects: readonly string[]
}

export function programQuestions(names: readonly string[], path: string): readonly PathQuestion[] {
  return names.length === 0 ? [] : questionsAbout(parts(path).searched, names)
}

/** The programs that a shell would find in a project, directly or through a link. */
export async function foreignPrograms(
  names: readonly string[],
  { path, projects }: ProgramPlaces,
  lookup: Lookup,
): Promise<ReadonlyMap<string, ForeignProgram>> {
  const foreign = new Map<string, string>()
  if (names.length === 0) return new Map()
  const { searched, relative, system } = parts(path)
  const answers = await lookup.ask(questionsAbout(searched, names))
  for (const [at, name] of names.entries()) {
    const found = foundIn(answers[at])
    if (!found && relative !== undefined) foreign.set(name, `${relative}/${name}`)
    if (found && isForeign(found, projects)) foreign.set(name, found.path)
  }
  const inSystem = await lookup.ask(questionsAbout(system, [...foreign.keys()]))
  return new Map(
    [...foreign].map(([name, path], at) => [name, { path, shadows: foundIn(inSystem[at]) !== undefined }]),
  )
}

interface Parts {
  readonly of: string
  /** Absolute entries of PATH, up to the first relative one. */
  readonly searched: string | undefined
  /** A line may change its directory, so every program may be there. */
  readonly relative: string | undefined
  readonly system: string | undefined
}

function partsOf(path: string): Parts {
  // An empty entry of PATH means the current directory (environ(7)).
  const entries = path.split(delimiter).map((entry) => entry || '.')
  const first = entries.findIndex((entry) => !isAbsolute(entry))
  const searched = first === -1 ? entries : entries.slice(0, first)
  const system = entries.filter((entry) => systemDirectories.has(entry))
  return { of: path, searched: joined(searched), relative: entries[first], system: joined(system) }
}

let last: Parts | undefined

/** PATH seldom changes. */
function parts(path: string): Parts {
  if (last?.of !== path) last = partsOf(path)
  return last
}

/** Undefined: there are none. The root directory is an empty text. */
function joined(directories: readonly string[]): string | undefined {
  const places = new Set(directories.map((directory) => directory.replace(/\/+$/, '')))
  return places.size === 0 ? undefined : [...places].join(delimiter)
}

function questionsAbout(places: string | undefined, names: readonly string[]): readonly PathQuestion[] {
  return places === undefined ? [] : names.map((name) => ({ kind: 'program', path: `${places}/${name}` }))
}

interface Found {
  readonly real: string
  readonly path: string
  readonly realDirectory: string
}

function foundIn(answer: PathAnswer | undefined): Found | undefined {
  if (!answer || 'failed' in answer) return undefined
  const [real = '', path = '', realDirectory = ''] = answer.found.split('\0')
  return { real, path, realDirectory }
}

function isForeign({ real, path, realDirectory }: Found, projects: readonly string[]): boolean {
  const directories = [dirname(path), realDirectory, dirname(real)]
  return directories.some((directory) => isProjectDirectory(directory, projects))
}
