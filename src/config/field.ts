import * as v from 'valibot'
import { editDistance } from '../base/did-you-mean.ts'
import { wanted } from '../messages/wanted.ts'
import { isHostPattern } from '../network/access.ts'
import { isShellProgram } from '../request/interpreter.ts'

/** How a project's `.vitrine.toml` may change a key while the file is not trusted. */
export type ProjectRule =
  /** Only a smaller number. With `zero: 'infinite'`, 0 means no limit and counts as the largest. */
  | { readonly kind: 'min'; readonly zero: 'infinite' | 'least' }
  /** Only from left to right in `order`, loosest first. */
  | { readonly kind: 'one-way'; readonly order: readonly unknown[] }
  /** Adds to the list and removes nothing; entries for which `loosens` returns true are ignored. */
  | { readonly kind: 'union'; readonly loosens?: (item: unknown) => boolean }
  /** Only hosts that are allowed already. */
  | { readonly kind: 'hosts' }
  /** Only a directory inside the one in force. */
  /** Not at all. With `trusted: false` not even a trusted project file may set it. */
  | { readonly kind: 'never'; readonly trusted: boolean }

export type ToAbsolute = (path: string) => string

export interface KeyDefinition<S extends v.GenericSchema = v.GenericSchema> {
  readonly about: string
  /** The message of each action says which value is wanted. Made for a given value: most starts validate none. */
  schema(): S
  readonly fallback: v.InferOutput<S>
  readonly project: ProjectRule
  /** Makes paths absolute; only keys that hold paths have it. */
  resolve?(value: v.InferOutput<S>, toAbsolute: ToAbsolute): v.InferOutput<S>
}

export function defineKey<const S extends v.GenericSchema>(
  about: string,
  schema: () => S,
  fallback: NoInfer<v.InferOutput<S>>,
  project: ProjectRule,
): KeyDefinition<S> {
  return { about, schema, fallback, project }
}

/** Empty: none. */
export function pathKey(about: string, project: ProjectRule) {
  const resolve = (path: string, toAbsolute: ToAbsolute) => (path === '' ? '' : toAbsolute(path))
  return { ...defineKey(about, () => textValue(wanted.path), '', project), resolve }
}

/** `sh`, `bash`, or the path of another shell. */
export function shellKey(about: string, project: ProjectRule) {
  const schema = () => v.pipe(textValue(wanted.shellProgram), v.check(isShellProgram, wanted.shellProgram))
  const resolve = (program: string, toAbsolute: ToAbsolute) =>
    program.includes('/') ? toAbsolute(program) : program
  return { ...defineKey(about, schema, 'sh', project), resolve }
}

/** Each path costs time when a shell and some commands start, and a project file may list paths. */
const maxPaths = 1000
const pathList = () => v.pipe(listOf(wanted.path), v.maxLength(maxPaths, wanted.atMostPaths(maxPaths)))

/** Defines a key that holds a list of paths; `word` stands for a built-in list and is kept as it is. */
export function pathsKey(about: string, project: ProjectRule, word?: string) {
  const schema = () => (word === undefined ? pathList() : listOrWord(wanted.path, word))
  const resolve = (paths: readonly string[], toAbsolute: ToAbsolute) =>
    paths.map((path) => (path === word ? path : toAbsolute(path)))
  return { ...defineKey(about, schema, [], project), resolve }
}

/** Relative to a directory that is found later, absolute, or beneath HOME; `word` stands for a built-in list. */
export function pathsWithinKey(about: string, project: ProjectRule, word: string) {
  const schema = () =>
    v.pipe(
      listOrWord(wanted.path, word),
      v.checkItems((path) => !path.split('/').includes('..'), 'a path without ".."'),
    )
  const resolve = (paths: readonly string[], toAbsolute: ToAbsolute) =>
    paths.map((path) => (path.startsWith('~') ? toAbsolute(path) : path))
  return { ...defineKey(about, schema, [word], project), resolve }
}

/** Defines a key that holds a list of paths, each followed by `:ro` or `:rw`; `:ro` is the default. */
export function mountsKey(about: string, project: ProjectRule) {
  const resolve = (entries: readonly string[], toAbsolute: ToAbsolute) =>
    entries.map((entry) => {
      const mode = /:r[ow]$/.exec(entry)?.[0] ?? ''
      return `${toAbsolute(mode === '' ? entry : entry.slice(0, -mode.length))}${mode || ':ro'}`
    })
  return { ...defineKey(about, () => listOf(wanted.path), [], project), resolve }
}

/** Node's setTimeout counts milliseconds in a signed 32-bit integer. */
export const maxMs = 2_147_483_647
export const maxBytes = Number.MAX_SAFE_INTEGER
/** PID_MAX_LIMIT, linux/threads.h, on 64-bit systems. */
export const maxProcesses = 4_194_304

export const onlyTrusted: ProjectRule = { kind: 'never', trusted: true }
export const userOnly: ProjectRule = { kind: 'never', trusted: false }
export const onlyFewerHosts: ProjectRule = { kind: 'hosts' }
export const onlyAdds: ProjectRule = { kind: 'union' }
/** Smaller is stricter; 0 is the strictest. */
export const onlySmaller: ProjectRule = { kind: 'min', zero: 'least' }
/** Smaller is stricter, but 0 means no limit. */
export const minOrNone: ProjectRule = { kind: 'min', zero: 'infinite' }

/** A project file may move the value from left to right only, loosest first. */
export function oneWay(...order: readonly (string | boolean)[]): ProjectRule {
  return { kind: 'one-way', order }
}

const hostPattern = (said: string) => v.pipe(filledText(said), v.check(isHostPattern, said))

export function hostList(said: string = 'HOST, *.HOST or an address, each with :PORT or without') {
  return v.pipe(
    v.array(hostPattern(said), 'a list of hosts'),
    v.maxLength(maxPaths, wanted.atMostHosts(maxPaths)),
  )
}

export function booleanOrHosts() {
  return v.union(
    [
      v.boolean(),
      hostList(
        'HOST, *.HOST or an address, each with :PORT or without; or true or false in place of the list',
      ),
    ],
    'true, false or a list of hosts: HOST, *.HOST or an address, with :PORT or without',
  )
}

export function boolean() {
  return v.boolean('true or false')
}

export function oneOf<const T extends readonly string[]>(...words: T) {
  return v.picklist(words, wanted.oneOf(words))
}

export function integer(least: number, most: number) {
  const said = wanted.integer(least, most)
  return v.pipe(v.number(said), v.integer(said), v.minValue(least, said), v.maxValue(most, said))
}

/** A string that may be empty. It has no NUL byte, because strings end there for execve(2) and open(2). */
export function textValue(said: string = wanted.string) {
  return v.pipe(
    v.string(said),
    v.check((value) => !value.includes('\0'), wanted.withoutNul(said)),
  )
}

export function filledText(said: string) {
  return v.pipe(textValue(said), v.nonEmpty(wanted.notEmpty(said)))
}

export function pattern(said: string, shape: RegExp) {
  return v.pipe(v.string(said), v.regex(shape, said))
}

export function listOf(said: string) {
  return v.array(filledText(said), wanted.strings)
}

export function listMatching(said: string, pattern: RegExp) {
  return v.array(v.pipe(filledText(said), v.regex(pattern, said)), wanted.strings)
}

/** A table of strings by name; names contain no `=`, as in environ(7). */
export function stringTable() {
  const name = v.pipe(filledText('a name'), v.regex(/^[^=]+$/, 'a name without "="'))
  return v.record(name, textValue(), wanted.stringTable)
}

function listOrWord(item: string, word: string) {
  const alone = v.pipe(
    v.literal(word),
    v.transform(() => [word]),
  )
  return v.pipe(
    v.union([pathList(), alone], wanted.stringsOr(word)),
    v.checkItems((value) => !isSlipOf(word, value), wanted.wordOr(word, item)),
  )
}

/** A bare name close to the word is probably a typo of it; taken as a path it would protect nothing. */
function isSlipOf(word: string, value: string): boolean {
  const bare = value.trim().toLowerCase()
  return value !== word && !/^[~.]|\//.test(value) && editDistance(bare, word) <= 2
}

/** More arguments than the kernel passes to a program. */
const maxOperands = 1_000_000
// Other entries never match: a whole command line, and an option without its dash or with a value.
const WORD = /^(?:\.{0,2}\/.*|\S+)$/
const OPTION = /^-[^\s=]+$/

const entries = () => ({
  prefix: v.pipe(listMatching('one word', WORD), v.nonEmpty('a list of words, not empty')),
  verdict: oneOf('allow', 'ask', 'deny'),
  reason: v.optional(textValue(), ''),
  match: v.optional(listOf(wanted.ruleLine), []),
  not_match: v.optional(listOf(wanted.ruleLine), []),
  allow_options: v.exactOptional(listMatching(wanted.ruleOption, OPTION)),
  ask_options: v.exactOptional(listMatching(wanted.ruleOption, OPTION)),
  deny_options: v.exactOptional(listMatching(wanted.ruleOption, OPTION)),
  operands: v.exactOptional(integer(0, maxOperands)),
})

export const policyRuleKeys = () => Object.keys(entries())

export const policyRule = () => v.strictObject(entries(), wanted.rule(policyRuleKeys()))

/** A rule that loosens the policy. */
export const allowRule = () => v.looseObject({ verdict: v.literal('allow') })
