import { readdirSync, realpathSync } from 'node:fs'
import type { Facts, FactsNeeded } from '../policy/facts.ts'
import { readRepositoryConfig } from './repository.ts'

/** Directory entries looked at, and matches resolved, for one pattern. */
const MOST_ENTRIES = 20_000
const MOST_MATCHES = 2_000

/** What facts are gathered around. */
export interface Surroundings {
  /** `[policy] workspace`, empty when there is none. */
  readonly workspace: string
  /** vitrine's own config files and directories of state. */
  readonly ownPaths: readonly string[]
}

/** Looks up what a decision needs to know. Changes nothing and starts nothing. What cannot be found out is left out, which counts as unknown. */
export function gatherFacts(needed: FactsNeeded, { workspace, ownPaths }: Surroundings): Facts {
  return {
    realPaths: new Map(needed.paths.flatMap((path) => pair(path, realPath(path)))),
    globs: new Map(needed.globs.map((glob) => [glob, expandGlob(glob, needed.couldMatch)])),
    withoutDashes: new Set(needed.directories.filter(hasNoDashes)),
    repositories: new Map(needed.repositories.flatMap(repositoryAt)),
    ...(workspace === '' ? {} : { workspace: realPath(workspace) ?? workspace }),
    ownPaths: ownPaths.flatMap((path) => [path, realPath(path) ?? path]),
  }
}

function pair(path: string, real: string | undefined): [string, string][] {
  return real === undefined ? [] : [[path, real]]
}

/** Whether no name in a directory begins with a dash; false when it cannot be told. */
function hasNoDashes(directory: string): boolean {
  try {
    return readdirSync(directory).every((name) => !name.startsWith('-'))
  } catch {
    // Not readable: what a glob finds there is not known.
    return false
  }
}

function repositoryAt(directory: string): [string, ReturnType<typeof readRepositoryConfig>][] {
  const real = realPath(directory)
  return real === undefined ? [] : [[directory, readRepositoryConfig(real)]]
}

/** Where a path leads; what does not exist stands as written below the part that does. Undefined when that is not readable. */
export function realPath(path: string): string | undefined {
  const missing: string[] = []
  let existing = path
  for (;;) {
    try {
      // The native one: the other shortens `link/..` before it looks.
      return join(realpathSync.native(existing === '' ? '/' : existing), missing)
    } catch (error) {
      if (!isMissing(error)) return undefined
    }
    const cut = existing.replace(/\/+$/, '').lastIndexOf('/')
    const name = existing.replace(/\/+$/, '').slice(cut + 1)
    if (cut === -1 || name === '') return undefined
    missing.unshift(name)
    existing = existing.slice(0, cut)
  }
}

function join(existing: string, missing: readonly string[]): string | undefined {
  const parts = existing.split('/').filter((part) => part !== '')
  for (const name of missing) {
    if (name === '..') parts.pop()
    else if (name !== '.' && name !== '') parts.push(name)
  }
  return `/${parts.join('/')}`
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')
}

/** Where each match of a pattern leads, and the pattern's own fixed beginning; null when there are too many to look at. */
export function expandGlob(glob: string, couldMatch: FactsNeeded['couldMatch']): readonly string[] | null {
  const parts = glob.split('/').filter((part) => part !== '')
  let found = ['']
  const budget = { entries: MOST_ENTRIES }
  for (const part of parts) {
    const next = found.flatMap((directory) => step(directory, part, budget, couldMatch))
    if (budget.entries < 0 || next.length > MOST_MATCHES) return null
    found = next
  }
  const resolved = [...found, fixedPart(parts)].map((path) => realPath(path === '' ? '/' : path))
  return resolved.every((path) => path !== undefined) ? [...new Set(resolved as string[])] : null
}

/** The pattern up to its first part that is open: what it names when nothing matches. */
function fixedPart(parts: readonly string[]): string {
  const open = parts.findIndex((part) => /[*?[\\]/.test(part))
  return parts
    .slice(0, open === -1 ? undefined : open)
    .map((part) => `/${part}`)
    .join('')
}

function step(
  directory: string,
  part: string,
  budget: { entries: number },
  couldMatch: FactsNeeded['couldMatch'],
): string[] {
  if (!/[*?[\\]/.test(part)) return [`${directory}/${part}`]
  const names = entriesOf(directory === '' ? '/' : directory)
  budget.entries -= names.length
  if (budget.entries < 0) return []
  const hidden = part.startsWith('.') || part.startsWith('\\.') || part.startsWith('[')
  return names
    .filter((name) => (hidden || !name.startsWith('.')) && couldMatch(part, name))
    .map((name) => `${directory}/${name}`)
}

/** Names in a directory, with `.` and `..`, which `.*` matches in some shells. */
function entriesOf(directory: string): string[] {
  try {
    return ['.', '..', ...readdirSync(directory)]
  } catch {
    // The shell cannot look into it either: nothing matches.
    return []
  }
}
