import * as v from 'valibot'
import { editDistance } from '../base/did-you-mean.ts'

/** How a project's `.vitrine.toml` may change a key before the user has trusted the file. */
export type ProjectRule =
  /** A smaller number only. With `zero: 'infinite'`, 0 means no limit and counts as the largest. */
  | { readonly kind: 'min'; readonly zero: 'infinite' | 'least' }
  /** Only from left to right in `order`, loosest first. */
  | { readonly kind: 'one-way'; readonly order: readonly unknown[] }
  /** Adds to the list, never takes away; what `loosens` says yes to is left out. */
  | { readonly kind: 'union'; readonly loosens?: (item: unknown) => boolean }
  /** A directory inside the one in force. */
  | { readonly kind: 'narrow' }
  /** With `trusted: false` not even a trusted project file may set it. */
  | { readonly kind: 'never'; readonly trusted: boolean }

/** Makes an absolute path of one that a config file, a variable or a flag gives. */
export type ToAbsolute = (path: string) => string

/** One key of the configuration: everything that is known about it. */
export interface Field<S extends v.GenericSchema = v.GenericSchema> {
  readonly about: string
  /** The message of each of its actions says what is wanted. */
  readonly schema: S
  readonly fallback: v.InferOutput<S>
  readonly project: ProjectRule
  /** For keys that hold paths. */
  resolve?(value: v.InferOutput<S>, toAbsolute: ToAbsolute): v.InferOutput<S>
}

/** Defines a key that holds no path. */
export function key<const S extends v.GenericSchema>(
  about: string,
  schema: S,
  fallback: NoInfer<v.InferOutput<S>>,
  project: ProjectRule,
): Field<S> {
  return { about, schema, fallback, project }
}

/** Defines a key that holds one path; the empty string means none. */
export function pathKey(about: string, project: ProjectRule) {
  const resolve = (path: string, toAbsolute: ToAbsolute) => (path === '' ? '' : toAbsolute(path))
  return { ...key(about, text('a path'), '', project), resolve }
}

/** Each path costs time before every shell and some commands, and a project file may list them. */
const MOST_PATHS = 1000
const pathList = v.pipe(list('a path'), v.maxLength(MOST_PATHS, `a list of at most ${MOST_PATHS} paths`))

/** Defines a key that holds a list of paths; `word` stands for paths of its own and is kept as it is. */
export function pathsKey(about: string, project: ProjectRule, word?: string) {
  const schema = word === undefined ? pathList : listOrWord(pathList, 'a path', word)
  const resolve = (paths: readonly string[], toAbsolute: ToAbsolute) =>
    paths.map((path) => (path === word ? path : toAbsolute(path)))
  return { ...key(about, schema, [], project), resolve }
}

/** Defines a key that holds a list of paths with `:ro` or `:rw` behind each; without, `:ro` is added. */
export function mountsKey(about: string, project: ProjectRule) {
  const resolve = (entries: readonly string[], toAbsolute: ToAbsolute) =>
    entries.map((entry) => {
      const mode = /:r[ow]$/.exec(entry)?.[0] ?? ''
      return `${toAbsolute(mode === '' ? entry : entry.slice(0, -mode.length))}${mode || ':ro'}`
    })
  return { ...key(about, list('a path'), [], project), resolve }
}

export const never: ProjectRule = { kind: 'never', trusted: true }
export const userOnly: ProjectRule = { kind: 'never', trusted: false }
export const narrow: ProjectRule = { kind: 'narrow' }
export const union: ProjectRule = { kind: 'union' }
/** Smaller is stricter, 0 strictest. */
export const min: ProjectRule = { kind: 'min', zero: 'least' }
/** Smaller is stricter, but 0 is no limit at all. */
export const minOrNone: ProjectRule = { kind: 'min', zero: 'infinite' }

/** Values that a project file may only move along from left to right, loosest first. */
export function oneWay(...order: readonly (string | boolean)[]): ProjectRule {
  return { kind: 'one-way', order }
}

export function boolean() {
  return v.boolean('true or false')
}

export function oneOf<const T extends readonly string[]>(...words: T) {
  return v.picklist(words, words.map((word) => JSON.stringify(word)).join(' or '))
}

export function integer(least: number, most: number) {
  const wanted = `an integer from ${least} to ${most}`
  return v.pipe(v.number(wanted), v.integer(wanted), v.minValue(least, wanted), v.maxValue(most, wanted))
}

export function decimal(least: number, most: number) {
  const wanted = `a number from ${least} to ${most}`
  return v.pipe(v.number(wanted), v.minValue(least, wanted), v.maxValue(most, wanted))
}

/** A string that may be empty. execve(2) and open(2) end at a NUL byte, so none is let in. */
export function text(wanted = 'a string') {
  return v.pipe(
    v.string(wanted),
    v.check((value) => !value.includes('\0'), `${wanted} without a NUL byte`),
  )
}

export function filledText(wanted: string) {
  return v.pipe(text(wanted), v.nonEmpty(`${wanted}, not empty`))
}

export function pattern(wanted: string, shape: RegExp) {
  return v.pipe(v.string(wanted), v.regex(shape, wanted))
}

/** A list whose entries are not empty. */
export function list(wanted: string) {
  return v.array(filledText(wanted), 'a list of strings')
}

/** A table of strings by name; a name holds no `=`, as in environ(7). */
export function stringTable() {
  const name = v.pipe(filledText('a name'), v.regex(/^[^=]+$/, 'a name without "="'))
  return v.record(name, text(), 'a table of strings')
}

function listOrWord(paths: typeof pathList, wanted: string, word: string) {
  const alone = v.pipe(
    v.literal(word),
    v.transform(() => [word]),
  )
  const said = JSON.stringify(word)
  return v.pipe(
    v.union([paths, alone], `a list of strings, or ${said}`),
    v.checkItems(
      (value) => !isSlipOf(word, value),
      `${said}, or ${wanted} ("./NAME" for a file of such a name)`,
    ),
  )
}

/** A bare name that was hardly meant as a path: taken for one it would keep nothing. */
function isSlipOf(word: string, value: string): boolean {
  const bare = value.trim().toLowerCase()
  return value !== word && !/^[~.]|\//.test(value) && editDistance(bare, word) <= 2
}
