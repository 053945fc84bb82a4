import { posix } from 'node:path'
import { isBeneath } from '../base/paths.ts'
import { words } from '../base/text.ts'
import { removesTrees } from './disasters.ts'
import { knownValue, type SimpleCommand } from './line.ts'
import { couldReach, type PathUse, partsOfGlob } from './paths.ts'
import type { PlannedStep } from './plan.ts'
import { nameOf } from './program.ts'

/** What write mode has to know of the disk to keep a line from its disasters. */
export interface Places {
  /** Where paths lead, by path. Absent: unknown. */
  readonly real: ReadonlyMap<string, string>
  /** vitrine's own files and directories, as given and behind links. */
  readonly own: readonly string[]
  /** A file system that does not answer: the line may do anything there. */
  readonly unanswered?: string | undefined
}

/** As written, and behind links. */
export function placesOf({ paths, globs }: PathUse, { real }: Places): readonly string[] {
  const named = paths.flatMap((path) => [posix.normalize(path), real.get(path) ?? path])
  return [...new Set([...named, ...globs.flatMap((glob) => placesOfGlob(glob, real))])]
}

/** The places that each word names. A line may name one thousands of times. */
export function placesByText(
  uses: readonly PathUse[],
  places: Places,
): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, Set<string>>()
  for (const use of uses) {
    const known = found.get(use.text) ?? new Set()
    for (const place of placesOf(use, places)) known.add(place)
    found.set(use.text, known)
  }
  return new Map([...found].map(([text, known]) => [text, [...known]]))
}

function placesOfGlob(glob: string, real: Places['real']): readonly string[] {
  const { directory, rest } = partsOfGlob(glob)
  const there = real.get(directory)
  return [posix.join(directory, ...rest), ...(there === undefined ? [] : [posix.join(there, ...rest)])]
}

// git subcommands that name files but leave them unchanged.
const recording = new Set(['add', 'commit', 'diff', 'log', 'status'])

/** Of them no argument names a file to change. */
const reading = new Set(
  words(
    'cd ls cat head tail grep egrep fgrep rg wc stat diff cmp du cut tr realpath readlink basename dirname echo printf test [ [[',
  ),
)

/** Whether the command may change vitrine's configuration, state or audit log. */
export function changesOwnFiles({ command }: PlannedStep, uses: readonly PathUse[], places: Places): boolean {
  const name = nameOf(knownValue(command.words[0]) ?? '')
  const reads = reading.has(name) || (name === 'git' && recording.has(command.words[1]?.value ?? ''))
  const distinct = new Map(uses.map((use) => [`${use.redirect} ${use.paths} ${use.text}`, use]))
  return [...distinct.values()].some((use) => (use.redirect || !reads) && touches(use, name, command, places))
}

function touches(use: PathUse, name: string, command: SimpleCommand, places: Places): boolean {
  const arrivals = isTarget(use, name, command) ? arrivingNames(command) : []
  const removes = (name === 'mv' && arrivals.length === 0) || (name === 'rm' && removesTrees(command.words))
  const isGlob = use.globs.length > 0
  return placesOf(use, places).some((path) => {
    const changed = [path, ...arrivals.map((arrival) => posix.join(path, arrival))]
    return places.own.some((own) =>
      isGlob
        ? couldReach(path, own, removes)
        : changed.some((each) => isBeneath(each, own)) || (removes && isBeneath(own, path)),
    )
  })
}

// Programs whose last operand receives what the others name.
const copying = new Set(words('cp install ln mv rsync'))

/** Whether it is the last operand of such a program. `-t DIR` is no operand: `mv -t` counts as removing its directory. */
function isTarget(use: PathUse, name: string, { words }: SimpleCommand): boolean {
  return !use.redirect && copying.has(name) && words.length > 2 && words.at(-1)?.value === use.text
}

/** The names under which the other operands arrive in a directory. */
function arrivingNames({ words }: SimpleCommand): readonly string[] {
  return [...new Set(words.slice(1, -1).map(({ value }) => posix.basename(value)))]
}
