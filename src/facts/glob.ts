import type { FactsNeeded, GlobMatches } from './facts.ts'
import { type DirectoryName, isWhole, type Lookup, namesIn, type PathQuestion, whereIs } from './lookup.ts'

const maxEntries = 20_000
const maxMatches = 2_000

/** A path that matches the pattern, or its first parts. */
interface Match {
  readonly directory: string
  readonly name: string
  /** Not a link: the real path is its directory's plus the name. */
  readonly plain: boolean
}

/** Real paths; null when there are too many or one is unknown. */
export async function expandGlob(
  glob: string,
  couldMatch: FactsNeeded['couldMatch'],
  lookup: Lookup,
): Promise<GlobMatches | null> {
  const parts = partsOf(glob)
  let found: readonly Match[] = [{ directory: '', name: '', plain: false }]
  let entries = maxEntries
  for (const part of parts) {
    const next = await step(found.map(pathOf), part, couldMatch, lookup)
    if (!next) return null
    entries -= next.entries
    if (entries < 0 || next.found.length > maxMatches) return null
    found = next.found
  }
  const directory = { directory: fixedPart(parts), name: '', plain: false }
  const [first, ...matches] = (await resolved([directory, ...found], lookup)) ?? []
  return first === undefined ? null : { directory: first, matches: [...new Set(matches)] }
}

function pathOf({ directory, name }: Match): string {
  return name === '' ? directory : `${directory}/${name}`
}

/** A match that is no link needs no lookup: its directory's real path suffices. */
async function resolved(found: readonly Match[], lookup: Lookup): Promise<readonly string[] | null> {
  const askedFor = (match: Match) => (match.plain ? match.directory : pathOf(match))
  const where = await lookup.where(found.map(askedFor))
  const paths: string[] = []
  for (const match of found) {
    const real = where.get(askedFor(match))
    if (real === undefined) return null
    paths.push(match.plain ? `${real === '/' ? '' : real}/${match.name}` : real)
  }
  return paths
}

export function globQuestions(glob: string): readonly PathQuestion[] {
  const fixed = fixedPart(partsOf(glob))
  return [whereIs(fixed), namesIn(fixed || '/')]
}

function partsOf(glob: string): readonly string[] {
  return glob.split('/').filter((part) => part !== '')
}

/** The pattern up to its first part with a wildcard: the directory that it names when nothing matches. */
function fixedPart(parts: readonly string[]): string {
  const open = parts.findIndex((part) => /[*?[\\]/.test(part))
  return parts
    .slice(0, open === -1 ? undefined : open)
    .map((part) => `/${part}`)
    .join('')
}

interface Step {
  readonly found: readonly Match[]
  readonly entries: number
}

async function step(
  directories: readonly string[],
  part: string,
  couldMatch: FactsNeeded['couldMatch'],
  lookup: Lookup,
): Promise<Step | undefined> {
  if (!/[*?[\\]/.test(part))
    return { found: directories.map((directory) => ({ directory, name: part, plain: false })), entries: 0 }
  const listed = await lookup.names(directories.map((directory) => directory || '/'))
  const found: Match[] = []
  let entries = 0
  for (const [at, names] of listed.entries()) {
    // A directory that cannot be listed has no matches for the shell either.
    if ('failed' in names && isUnknown(names.failed)) return undefined
    const all = 'failed' in names ? [] : [...dots, ...names]
    entries += all.length
    if (entries > maxEntries) return undefined
    const directory = directories[at] ?? ''
    const matches = matching(all, part, couldMatch)
    if (!matches.every(({ name }) => isWhole(name))) return undefined
    found.push(...matches.map((name) => ({ ...name, directory })))
  }
  return { found, entries }
}

/** The listing is incomplete or timed out. */
function isUnknown(failed: string): boolean {
  return failed === 'ETIMEDOUT' || failed === 'EBUSY' || failed === 'ENOBUFS' || failed === 'EINTR'
}

/** `.*` matches these in some shells. */
const dots: readonly DirectoryName[] = ['.', '..'].map((name) => ({ name, plain: false }))

function matching(
  names: readonly DirectoryName[],
  part: string,
  couldMatch: FactsNeeded['couldMatch'],
): DirectoryName[] {
  const hidden = part.startsWith('.') || part.startsWith('\\.') || part.startsWith('[')
  return names.filter(({ name }) => (hidden || !name.startsWith('.')) && couldMatch(part, name))
}
