import { posix } from 'node:path'
import { isBeneath } from '../base/paths.ts'
import { words } from '../base/text.ts'
import { removesTrees } from './disasters.ts'
import { atHome, knownValue, literalWord, type SimpleCommand, type Word } from './line.ts'
import type { PolicyRequest, Step } from './plan.ts'
import { nameOf } from './rules.ts'

/** A word that may name files. */
export interface PathUse {
  readonly text: string
  /** Absolute, as written: `a/..` need not be the parent of `a`. One for each directory that the command may run in. */
  readonly paths: readonly string[]
  /** True if they are patterns. */
  readonly isGlob: boolean
  /** What it names is known only when the line runs. */
  readonly open: boolean
  /** True for a redirect, false for an argument. */
  readonly redirect: boolean
}

const URL = /^[A-Za-z][A-Za-z0-9+.-]*:\/\//
const DESCRIPTOR = /^(?:\d+|-)$/

/** Every argument and every file of a redirect: which words name files only their program knows. */
export function pathUses({ command, bases, own }: Step, home: string): readonly PathUse[] {
  const targets = command.redirects.flatMap(({ target }) =>
    target && !DESCRIPTOR.test(target.value) ? [target] : [],
  )
  // find(1) starts in the current directory by default.
  const implied = own[0]?.value === 'find' ? [literalWord('.')] : []
  return [
    ...[...implied, ...own.slice(1)].map((word) => ({ ...useOf(word, bases, home), redirect: false })),
    ...targets.map((word) => ({ ...useOf(word, bases, home), redirect: true })),
  ]
}

/** Paths to follow links in. */
export function pathsToResolve({ steps, home }: PolicyRequest): readonly string[] {
  const paths = steps.flatMap((step) => pathUses(step, home).flatMap((use) => use.paths))
  return [...new Set(paths)].slice(0, maxResolved)
}

/** A line that names more is built to take time. */
const maxResolved = 500

function useOf(word: Word, bases: readonly string[], home: string): Omit<PathUse, 'redirect'> {
  const { text, kind, pattern = '' } = word
  const use = { text, isGlob: kind === 'glob', open: false }
  const path = atHome(word, home)
  if (path !== undefined) return { ...use, paths: [path] }
  const names = kind === 'literal' ? namesIn(word.value) : [pattern.replace(/^~(?=\/)/, home || '~')]
  if (kind === 'one' || kind === 'open' || (use.isGlob && names[0]?.startsWith('~')))
    return { ...use, paths: [], open: true }
  const paths = names.flatMap((name) =>
    name.startsWith('/') ? [name] : bases.map((base) => `${base}/${name}`),
  )
  return { ...use, paths, open: bases.length === 0 && names.some((name) => !name.startsWith('/')) }
}

/** Paths a word may contain: itself, a value attached to it, or what follows an `@`. */
function namesIn(value: string): readonly string[] {
  // A directory may be called `https:`, so a URL also counts as a path, but its contents do not.
  if (URL.test(value)) return [value]
  const parts = value.startsWith('-') ? [] : [value]
  const behind = value.indexOf('@')
  if (value.includes('=')) parts.push(value.slice(value.indexOf('=') + 1))
  if (behind !== -1) parts.push(value.slice(behind + 1))
  const slash = value.search(/[/.~]/)
  if (value.startsWith('-') && slash > 1) parts.push(value.slice(slash))
  return parts.filter((part) => part !== '')
}

/** Whether a pattern may match the path or something in it; `above`: also a directory that holds it. */
function couldReach(glob: string, path: string, above = false): boolean {
  const patterns = posix.normalize(glob).split('/')
  const parts = path.split('/')
  if (!above && patterns.length < parts.length) return false
  return patterns.every((pattern, at) => {
    const part = parts[at]
    if (part === undefined) return true
    // Wildcards match no leading dot.
    if (part.startsWith('.') && /^[*?[]/.test(pattern)) return false
    return couldMatch(pattern, part)
  })
}

/** Whether a pattern may match a name. A question mark counts as a star: in dash it is a byte. So does what a bracket begins. */
function couldMatch(pattern: string, name: string): boolean {
  const star = '\0'
  const plain = pattern.replace(/\\(.)|[*?]|\[.*/gs, (_, escaped?: string) => escaped ?? star)
  const [first = '', ...others] = plain.split(star)
  const last = others.pop()
  if (last === undefined) return name === first
  if (!name.startsWith(first) || !name.endsWith(last)) return false
  let at = first.length
  for (const part of others) {
    const found = name.indexOf(part, at)
    if (found === -1) return false
    at = found + part.length
  }
  return at <= name.length - last.length
}

const systemPaths = ['/etc', '/root', '/proc', '/sys', '/boot', '/usr/sbin']

/** The system path that a word names as written, or `unknown`: for preset `analysis`. */
export function systemPathOf({ paths, isGlob, open, text }: PathUse): string | undefined {
  const written = paths.map((path) => posix.normalize(path))
  const named = isGlob
    ? systemPaths.find((system) => written.some((path) => couldReach(path, system)))
    : // macOS also finds /ETC.
      written.find((path) => systemPaths.some((system) => isBeneath(path.toLowerCase(), system)))
  return named ?? (open && /[/~]/.test(text) ? 'unknown' : undefined)
}

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
export function placesOf({ paths }: PathUse, { real }: Places): readonly string[] {
  return paths.flatMap((path) => [posix.normalize(path), real.get(path) ?? path])
}

/** Of them no argument names a file to change. */
const reading = new Set(
  words(`
    cd ls cat head tail grep egrep fgrep rg wc stat diff cmp du cut tr realpath readlink basename dirname echo printf test [ [[`),
)

/** Whether the command may change vitrine's configuration, state or audit log. */
export function changesOwnFiles({ command }: Step, uses: readonly PathUse[], places: Places): boolean {
  const [head, option] = command.words
  const name = nameOf(knownValue(head) ?? '')
  const records = name === 'git' && /^(?:add|commit|diff|log|status)$/.test(option?.value ?? '')
  const reads = records || reading.has(name)
  const distinct = new Map(uses.map((use) => [`${use.redirect} ${use.paths} ${use.text}`, use]))
  return [...distinct.values()].some((use) => (use.redirect || !reads) && touches(use, name, command, places))
}

function touches(use: PathUse, name: string, command: SimpleCommand, places: Places): boolean {
  const arrivals = isTarget(use, name, command) ? arrivingNames(command) : []
  const removes = (name === 'mv' && arrivals.length === 0) || (name === 'rm' && removesTrees(command.words))
  return placesOf(use, places).some((path) => {
    if (use.isGlob) return places.own.some((own) => couldReach(path, own, removes))
    const changed = [path, ...arrivals.map((arrival) => posix.join(path, arrival))]
    return places.own.some(
      (own) => changed.some((each) => isBeneath(each, own)) || (removes && isBeneath(own, path)),
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
