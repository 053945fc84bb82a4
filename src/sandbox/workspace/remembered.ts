import type { Changes, PathStates } from '../sandbox.ts'
import { type ChangesWanted, changesFor, type UnfitRootFound } from './changes.ts'
import { Looks } from './looks.ts'
import { linkedPlaces } from './obeyed.ts'

/** What changesFor finds, as of each call. */
export function rememberedChanges(
  wanted: ChangesWanted,
  states: PathStates | undefined,
): () => Changes | UnfitRootFound {
  const { workspace, own } = wanted
  // By itself: a command of git changes the repository, and what lies at home is large and stays.
  const linked = remembered(states, (looks) => linkedPlaces(workspace, own.obeyed ?? [], looks))
  const changes = remembered(states, (looks, links: readonly string[]) => changesFor(wanted, links, looks))
  return () => changes(linked(undefined))
}

/**
 * Searches again unless the input and all paths that the last search asked about are as they were before it. The states of the paths
 * are recorded before a search, and an earlier search has to find the paths: so the first two calls both search.
 */
function remembered<Input, Found extends object>(
  states: PathStates | undefined,
  search: (looks: Looks, input: Input) => Found,
): (input: Input) => Found {
  let known: Looks | undefined
  let last: { readonly input: Input; readonly found: Found; readonly snapshot: unknown } | undefined
  return (input) => {
    if (last && last.input === input && states?.unchanged(last.snapshot)) return last.found
    const snapshot = known && states?.snapshot([...known.above], [...known.paths])
    const looks = new Looks()
    const found = search(looks, input)
    const isWhole = looks.isComplete && known !== undefined && areSame(looks, known)
    last = snapshot && isWhole && !('why' in found) ? { input, found, snapshot } : undefined
    known = looks
    return found
  }
}

function areSame(one: Looks, other: Looks): boolean {
  const isIn = (paths: Set<string>, others: Set<string>) =>
    paths.size === others.size && [...paths].every((path) => others.has(path))
  return isIn(one.paths, other.paths) && isIn(one.above, other.above)
}
