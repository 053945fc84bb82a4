import { delimiter, dirname, isAbsolute } from 'node:path'
import { isProjectDirectory, systemDirectories } from '../base/program-path.ts'
import type { ForeignProgram } from './facts.ts'
import { type Lookup, type PathQuestion, whereIs } from './lookup.ts'

export interface ProgramPlaces {
  readonly path: string
  readonly projects: readonly string[]
}

export function programQuestions(names: readonly string[], path: string): readonly PathQuestion[] {
  return names.length === 0 ? [] : questionsAbout(parts(path).near, names)
}

/** The programs that a shell would find in a project, directly or through a link. */
export async function foreignPrograms(
  names: readonly string[],
  { path, projects }: ProgramPlaces,
  lookup: Lookup,
): Promise<ReadonlyMap<string, ForeignProgram>> {
  const foreign = new Map<string, ForeignProgram>()
  const { near, far } = parts(path)
  let rest = names
  for (const entries of [near, far]) {
    if (rest.length === 0) break
    await lookup.ask(questionsAbout(entries, rest))
    const found = new Map(rest.map((name) => [name, entries.find((entry) => mayFind(entry, name, lookup))]))
    for (const [name, entry] of found)
      if (entry !== undefined && isForeign(entry, name, projects, lookup))
        foreign.set(name, { path: `${entry}/${name}`, shadows: isShadowing(near, name, lookup) })
    rest = rest.filter((name) => found.get(name) === undefined)
  }
  return foreign
}

/** Entries after the last system directory are searched only for names not found before: most are. */
function parts(path: string): { readonly near: readonly string[]; readonly far: readonly string[] } {
  // An empty entry of PATH means the current directory (environ(7)).
  const entries = path.split(delimiter).map((entry) => entry || '.')
  const last = entries.findLastIndex((entry) => systemDirectories.has(entry))
  return { near: entries.slice(0, last + 1), far: entries.slice(last + 1) }
}

function questionsAbout(entries: readonly string[], names: readonly string[]): readonly PathQuestion[] {
  return entries
    .filter((entry) => isAbsolute(entry))
    .flatMap((entry) => [whereIs(entry), ...names.map((name) => whereIs(`${entry}/${name}`))])
}

/** True for a relative entry: a line may change its directory, so the result is unknown. */
function mayFind(entry: string, name: string, lookup: Lookup): boolean {
  return !isAbsolute(entry) || existing(`${entry}/${name}`, lookup) !== undefined
}

function isForeign(entry: string, name: string, projects: readonly string[], lookup: Lookup): boolean {
  if (!isAbsolute(entry)) return true
  const program = existing(`${entry}/${name}`, lookup)
  const directories = [entry, existing(entry, lookup) ?? entry, dirname(program ?? entry)]
  return directories.some((directory) => isProjectDirectory(directory, projects))
}

function isShadowing(entries: readonly string[], name: string, lookup: Lookup): boolean {
  return entries.some(
    (entry) => systemDirectories.has(entry) && existing(`${entry}/${name}`, lookup) !== undefined,
  )
}

/** Undefined unless the whole path exists. */
function existing(path: string, lookup: Lookup): string | undefined {
  const answer = lookup.see(whereIs(path))
  return 'found' in answer && answer.found.endsWith('\0') ? answer.found.slice(0, -1) : undefined
}
