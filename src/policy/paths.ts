import { posix } from 'node:path'
import { isBeneath } from '../base/paths.ts'
import { words } from '../base/text.ts'
import { removesTrees } from './disasters.ts'
import { atHome, knownValue, literalWord, type SimpleCommand, type Word } from './line.ts'
import type { PlannedStep, PolicyRequest } from './plan.ts'
import { nameOf } from './program.ts'

/** A word that may name files. */
export interface PathUse {
  readonly text: string
  /** Absolute, as written: `a/..` need not be the parent of `a`. One for each directory that the command may run in. */
  readonly paths: readonly string[]
  readonly globs: readonly string[]
  /** What it names is known only when the line runs. */
  readonly open: boolean
  /** True for a redirect, false for an argument. */
  readonly redirect: boolean
}

const URL = /^[A-Za-z][A-Za-z0-9+.-]*:\/\//
const DESCRIPTOR = /^(?:\d+|-)$/

/** Every argument and every file of a redirect: which words name files only their program knows. */
export function pathUses({ command, bases, own }: PlannedStep, home: string): readonly PathUse[] {
  const targets = command.redirects.flatMap(({ target }) =>
    target && !DESCRIPTOR.test(target.value) ? [target] : [],
  )
  // find(1) starts in the current directory by default.
  const implied = own[0]?.value === 'find' ? [literalWord('.')] : []
  return [
    ...[...implied, ...own.slice(1)].map((word) => useOf(word, bases, home, false)),
    ...targets.map((word) => useOf(word, bases, home, true)),
  ]
}

/** Paths to follow links in. */
export function pathsToResolve({ steps, home }: PolicyRequest): readonly string[] {
  const found = new Set<string>()
  for (const use of steps.flatMap((step) => pathUses(step, home))) {
    for (const path of use.paths) found.add(path)
    for (const glob of use.globs) found.add(partsOfGlob(glob).directory)
  }
  return [...found].slice(0, maxResolved)
}

/** A line that names more is built to take time. */
const maxResolved = 500

function useOf(word: Word, bases: readonly string[], home: string, redirect: boolean): PathUse {
  const none = { text: word.text, paths: [], globs: [], open: false, redirect }
  if (word.kind === 'literal' && word.value === '') return none
  if (word.kind === 'glob' && word.pattern !== undefined) {
    const pattern = word.pattern.startsWith('~/') && home !== '' ? home + word.pattern.slice(1) : word.pattern
    if (pattern.startsWith('~')) return { ...none, open: true }
    return { ...none, globs: absolute(pattern, bases), open: bases.length === 0 }
  }
  const path = atHome(word, home)
  if (path !== undefined) return { ...none, paths: [path] }
  if (word.filledBy !== undefined) return none
  if (word.kind !== 'literal') return { ...none, open: true }
  const paths = namesIn(word.value).flatMap((name) => absolute(name, bases))
  return { ...none, paths, open: bases.length === 0 && !word.value.startsWith('/') }
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

function absolute(path: string, bases: readonly string[]): readonly string[] {
  return path.startsWith('/') ? [path] : bases.map((base) => `${base}/${path}`)
}

/** Where a pattern looks before its first wildcard, and what it looks for there. */
export function partsOfGlob(glob: string): { readonly directory: string; readonly rest: readonly string[] } {
  const parts = posix.normalize(glob).replace(/\/$/, '').split('/')
  const open = parts.findIndex((part) => /[*?[\\]/.test(part))
  const end = open === -1 ? parts.length : open
  return { directory: parts.slice(0, end).join('/') || '/', rest: parts.slice(end) }
}

/** Whether a pattern may match the path or something in it; `above`: also a directory that holds it. */
export function couldReach(glob: string, path: string, above = false): boolean {
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

const systemPaths = ['/etc', '/root', '/proc', '/sys', '/boot', '/usr/sbin']

/** The system path that a word names as written, or `unknown`: for preset `analysis`. */
export function systemPathOf({ paths, globs, open, text }: PathUse): string | undefined {
  const written = paths.map((path) => posix.normalize(path))
  // macOS also finds /ETC.
  const found = written.find((path) => systemPaths.some((system) => isBeneath(path.toLowerCase(), system)))
  if (found !== undefined) return found
  const matched = systemPaths.find((path) => globs.some((glob) => couldReach(glob, path)))
  return matched ?? (open && /[/~]/.test(text) ? 'unknown' : undefined)
}

/** Unsupported syntax matches. `?` is a byte in dash: for non-ASCII names it matches any text. */
export function couldMatch(pattern: string, name: string): boolean {
  const expression = expressionOf(pattern, isAscii(name) ? '.' : '.*')
  return expression === undefined || expression.test(name)
}

function isAscii(name: string): boolean {
  return /^[\0-\x7f]*$/.test(name)
}

type One = '.' | '.*'

const known = new Map<string, RegExp | undefined>()
const maxKnown = 500

function expressionOf(pattern: string, one: One): RegExp | undefined {
  const key = `${one} ${pattern}`
  if (known.has(key)) return known.get(key)
  if (known.size > maxKnown) known.clear()
  const expression = translate(pattern, one)
  known.set(key, expression)
  return expression
}

const maxStars = 100

/** Translates conservatively: `undefined` for brackets and very many stars. */
function translate(pattern: string, one: One): RegExp | undefined {
  // The text between stars.
  const parts = ['']
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern.charAt(at)
    const piece = character === '*' ? '.*' : character === '?' ? one : undefined
    if (character === '[') return undefined
    if (piece === '.*') parts.push('')
    else parts.push(parts.pop() + (piece ?? plain(character === '\\' ? pattern.charAt(++at) : character)))
  }
  const [first = '', ...others] = parts
  const last = others.pop()
  const middle = others.filter((part) => part !== '')
  if (middle.length > maxStars) return undefined
  // The first match of each part is enough. A lookahead does not backtrack: the time is not exponential in the number of stars.
  const found = middle.map((part, at) => `(?=(.*?${part}))(?:\\${at + 1})`)
  return new RegExp(`^${first}${found.join('')}${last === undefined ? '' : `.*${last}`}$`, 's')
}

function plain(character: string): string {
  return character.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
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
