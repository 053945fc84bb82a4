import { posix } from 'node:path'
import { isBeneath } from '../../base/paths.ts'
import type { Facts } from '../../facts/facts.ts'
import type { Step } from '../command/expand.ts'
import { programOf } from '../command/program.ts'
import { builtInRuleFor } from '../presets/index.ts'
import { argumentsOf, type Rule } from '../rules/rules.ts'
import { couldMatch } from '../syntax/globs.ts'
import { literalWord, type Word } from '../syntax/line.ts'

export interface PathUse {
  readonly text: string
  /** Absolute paths before symlinks are resolved, one per directory the command may run in. */
  readonly paths: readonly string[]
  readonly globs: readonly string[]
  /** The named files are unknown before the command runs. */
  readonly open: boolean
  /** The names come from xargs. */
  readonly filled: boolean
  /** True for a redirect, false for an argument. */
  readonly redirect: boolean
}

const URL = /^[A-Za-z][A-Za-z0-9+.-]*:\/\//
const DESCRIPTOR = /^(?:\d+|-)$/

/** Words of a command that name files, without those its rule knows to be patterns, numbers or text. */
export function pathUses(step: Step, bases: readonly string[], home: string): PathUse[] {
  const redirects = step.command.redirects.flatMap(({ target }) =>
    target && !DESCRIPTOR.test(target.value) ? [{ word: target, redirect: true }] : [],
  )
  const own =
    step.wrapped && step.wrapped.inner.length > 0
      ? { ...step.command, words: step.wrapped.own }
      : step.command
  const words = namingWords({ command: own }).map((word) => ({ word, redirect: false }))
  if (step.command.words.length === 0)
    words.push(
      ...step.command.assignments
        .flatMap(({ value }) => expandedLater(value))
        .map((word) => ({ word, redirect: false })),
    )
  const directories = inside(bases, programOf(step.command)?.directories ?? [], home)
  return [...words, ...redirects].map(({ word, redirect }) =>
    useOf(word, redirect ? bases : directories, home, redirect),
  )
}

/** Values that name files: globs, and patterns that a later unquoted variable expands. */
function expandedLater(value: Word): Word[] {
  if (value.kind === 'glob' || value.matching) return [value]
  const mayLeave = value.kind === 'literal' && /[*?[]/.test(value.value) && /^[/~]|\.\./.test(value.value)
  return mayLeave ? [{ ...value, kind: 'open' }] : []
}

/** Expands the home directory at the start of a path: `~/x`, `$HOME/x`, `"${HOME}/x"`. */
export function atHome({ kind, value, text }: Word, home: string): string | undefined {
  if (home === '' || kind === 'literal') return undefined
  if (kind === 'tilde' && /^~(?:\/|$)/.test(value)) return home + value.slice(1)
  const [, rest] = /^"?\$(?:HOME|\{HOME\})"?((?:\/[^$`*?[{"'\\]*)?)"?$/.exec(text) ?? []
  return rest === undefined ? undefined : home + rest
}

/** More `-C` than any line needs: every one makes the path longer. */
export const maxChanges = 16

/** The directories git resolves its arguments in, after every `-C`; none: unknown. */
function inside(bases: readonly string[], directories: readonly Word[], home: string): readonly string[] {
  if (directories.length > maxChanges) return []
  return directories.reduce((at, word) => {
    const path = atHome(word, home) ?? word.value
    return path.startsWith('/') ? [path] : at.map((base) => `${base}/${path}`)
  }, bases)
}

function namingWords({ command }: Step): readonly Word[] {
  const program = programOf(command)
  if (!program) return []
  const rule = builtInRuleFor(program)
  const changed = program.directories
  if (!rule?.arguments) return [...changed, ...program.words.slice(1)]
  const named = namedBy(rule, rule.arguments, { command })
  // The shell expands globs in any word, whatever it means to the program.
  const globs = program.words
    .slice(1)
    .filter((word) => (word.kind === 'glob' || word.matching) && !named.includes(word))
  // find(1) starts in the current directory by default.
  const implied = rule.prefix[0] === 'find' ? [literalWord('.')] : []
  return [...changed, ...implied, ...named, ...globs]
}

function namedBy(rule: Rule, about: NonNullable<Rule['arguments']>, { command }: Step): readonly Word[] {
  const given = argumentsOf(rule, command)
  if (!given || given.objection) return programOf(command)?.words.slice(rule.prefix.length) ?? []
  if (about.paths) return about.paths(given.words)
  const { are, patternIn } = about.operands
  const values = given.options.flatMap(({ name, value }) => (value ? namedByOption(about, name, value) : []))
  if (are === 'words') return values
  const patternGiven = are === 'paths' || given.options.some(({ name }) => patternIn.includes(name))
  return [...values, ...given.operands.slice(patternGiven ? 0 : 1)]
}

function namedByOption(
  { options }: NonNullable<Rule['arguments']>,
  name: string,
  value: Word,
): readonly Word[] {
  if (options?.lists.has(name)) return [value, { ...value, kind: 'open' }]
  return options?.files.has(name) || options?.filePairs.has(name) ? [value] : []
}

function useOf(word: Word, bases: readonly string[], home: string, redirect: boolean): PathUse {
  const none = { text: word.text, paths: [], globs: [], open: false, filled: false, redirect }
  if (word.kind === 'literal' && word.value === '') return none
  if (word.kind === 'glob' && word.pattern !== undefined) {
    const pattern = word.pattern.startsWith('~/') && home !== '' ? home + word.pattern.slice(1) : word.pattern
    if (pattern.startsWith('~')) return { ...none, open: true }
    return { ...none, globs: absolute(pattern, bases), open: bases.length === 0 }
  }
  const path = atHome(word, home)
  if (path !== undefined) return { ...none, paths: [path] }
  // find's results lie below its starting points, which are separate words.
  if (word.filledBy === 'find') return none
  if (word.kind !== 'literal') return { ...none, open: true, filled: word.filledBy === 'xargs' }
  const paths = namesIn(word.value).flatMap((name) => absolute(name, bases))
  return { ...none, paths, open: bases.length === 0 && !word.value.startsWith('/') }
}

/** Paths a word may contain: itself, a value attached to it, or names marked inside a value. */
function namesIn(value: string): string[] {
  // A directory may be called `https:`, so a URL also counts as a path, but its contents do not.
  const names = URL.test(value) ? [value] : attachedNames(value)
  return [...names, ...names.flatMap(furtherNames)]
}

/** `@FILE`, `NAME=@FILE,FILE;type=TYPE`, `NAME=<FILE`, `file://HOST/FILE` (curl(1)). */
function furtherNames(text: string): string[] {
  const [, path] = /^file:(?:\/\/[^/]*)?(\/.*)$/i.exec(text) ?? []
  const behind = [...text.matchAll(/@/g)].slice(0, maxMarks).map(({ index }) => text.slice(index + 1))
  const pieces = behind.flatMap((rest) => [rest, ...rest.split(/[,;]/)])
  const input = text.startsWith('<') ? [text.slice(1)] : []
  const named = path === undefined ? [] : [path, decoded(path)]
  return [...named, ...pieces, ...input].filter((name) => name !== '')
}

/** More than any tool's value holds. */
const maxMarks = 20

function decoded(path: string): string {
  return path.replace(/%([0-9a-f]{2})/gi, (_, byte: string) => String.fromCharCode(Number.parseInt(byte, 16)))
}

function attachedNames(value: string): string[] {
  const afterEquals = value.includes('=') ? [value.slice(value.indexOf('=') + 1)] : []
  if (!value.startsWith('-')) return [value, ...afterEquals].filter((name) => name !== '')
  const slash = value.search(/[/.~]/)
  return [...afterEquals, ...(slash > 1 ? [value.slice(slash)] : [])].filter((name) => name !== '')
}

function absolute(path: string, bases: readonly string[]): readonly string[] {
  return path.startsWith('/') ? [path] : bases.map((base) => `${base}/${path}`)
}

const systemPaths = ['/etc', '/root', '/proc', '/sys', '/boot', '/usr/sbin']

/** The system path a word names as written, by pattern or through symlinks, if one is known. */
export function systemPathOf(use: PathUse, facts: Facts): string | undefined {
  const found = [...use.paths, ...use.globs].map((path) => posix.normalize(path)).find(isSystem)
  if (found !== undefined) return found
  const byPattern = systemPaths.find((path) => use.globs.some((glob) => reaches(glob, path)))
  return byPattern ?? destinations(use, facts)?.find(isSystem)
}

function isSystem(path: string): boolean {
  // macOS also finds /ETC.
  return systemPaths.some((system) => isBeneath(path.toLowerCase(), system))
}

function reaches(glob: string, path: string): boolean {
  const patterns = posix.normalize(glob).split('/')
  const parts = path.split('/')
  return (
    parts.length <= patterns.length && parts.every((part, index) => couldMatch(patterns[index] ?? '', part))
  )
}

/** Real paths that a word may name, and the directories in which its globs look; undefined if one is unknown. */
export function destinations(use: PathUse, facts: Facts): readonly string[] | undefined {
  const named = namedFiles(use, facts)
  return named && [...named, ...use.globs.flatMap((glob) => facts.globs.get(glob)?.directory ?? [])]
}

/** Real paths that a word names; undefined if one is unknown. */
export function namedFiles({ paths, globs, open }: PathUse, facts: Facts): readonly string[] | undefined {
  if (open) return undefined
  const real = paths.map((path) => facts.realPaths.get(path))
  const matched = globs.map((glob) => facts.globs.get(glob))
  const all = [
    ...real,
    ...matched.flatMap((found): readonly (string | undefined)[] => found?.matches ?? [undefined]),
  ]
  return all.every((path) => path !== undefined) ? (all as string[]) : undefined
}

/** The path outside the workspace that a word leads to, `unknown`, or `undefined` if it stays inside. */
export function leavesWorkspace(
  use: PathUse,
  workspace: string,
  facts: Facts,
): string | 'unknown' | undefined {
  if (isAllowedDevice(use)) return undefined
  const found = destinations(use, facts)
  if (!found) return 'unknown'
  return found.find((path) => !isBeneath(path, workspace))
}

function isAllowedDevice({ paths, globs }: PathUse): boolean {
  return (
    globs.length === 0 &&
    paths.length > 0 &&
    paths.every((path) => /^\/dev\/(?:null|std(?:in|out|err))$/.test(path))
  )
}
