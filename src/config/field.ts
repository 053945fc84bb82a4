import * as v from 'valibot'
import { editDistance } from '../base/did-you-mean.ts'
import { protectedInWorkspace } from '../base/obeyed-names.ts'
import { isHostPattern } from '../network/access.ts'
import { integer, oneOf } from '../request/fields.ts'
import { isShellProgram, shellProgramWanted } from '../request/interpreter.ts'

/** Node's setTimeout counts milliseconds in a signed 32-bit integer. */
export const maxMs = 2_147_483_647
export const maxBytes = Number.MAX_SAFE_INTEGER
/** PID_MAX_LIMIT, linux/threads.h, on 64-bit systems. */
export const maxProcesses = 4_194_304
/** What systemd raises sysctl fs.nr_open to: half of the kernel's bound (fs/file.c, sysctl_nr_open_max). */
export const maxOpenFiles = 1_073_741_816

export type ToAbsolute = (path: string) => string

/** Makes the paths in a value absolute. */
export type Resolve<T> = (value: T, toAbsolute: ToAbsolute) => T

export const pathOrEmpty: Resolve<string> = (path, toAbsolute) => (path === '' ? '' : toAbsolute(path))

export const programPath: Resolve<string> = (program, toAbsolute) =>
  program.includes('/') ? toAbsolute(program) : program

/** `isKept`: such as a word that stands for a built-in list. */
export function resolvePaths(isKept: (path: string) => boolean = () => false): Resolve<string[]> {
  return (paths, toAbsolute) => paths.map((path) => (isKept(path) ? path : toAbsolute(path)))
}

/** Paths, each followed by `:ro` or `:rw`; `:ro` is the default. */
export const mountPaths: Resolve<string[]> = (entries, toAbsolute) =>
  entries.map((entry) => {
    const [, path = entry, mode = ':ro'] = /^(.*)(:r[ow])$/s.exec(entry) ?? []
    return `${toAbsolute(path)}${mode}`
  })

export function trueOrFalse() {
  return v.boolean('true or false')
}

/** A string that may be empty. It has no NUL byte, because strings end there for execve(2) and open(2). */
export function textValue(said = 'a string') {
  return v.pipe(
    v.string(said),
    v.check((value) => !value.includes('\0'), `${said} without a NUL byte`),
  )
}

function filledText(said: string) {
  return v.pipe(textValue(said), v.nonEmpty(`${said}, not empty`))
}

export function pattern(said: string, shape: RegExp) {
  return v.pipe(v.string(said), v.regex(shape, said))
}

/** `sh`, `bash`, or the path of another shell. */
export function shellProgram() {
  return v.pipe(textValue(shellProgramWanted), v.check(isShellProgram, shellProgramWanted))
}

const strings = 'a list of strings'

export function listOf(said: string) {
  return v.array(filledText(said), strings)
}

function listMatching(said: string, shape: RegExp) {
  return v.array(v.pipe(filledText(said), v.regex(shape, said)), strings)
}

/** Each entry costs time when a shell and some commands start, and a project file may list them. */
const maxEntries = 1000

export function pathList() {
  return v.pipe(listOf('a path'), v.maxLength(maxEntries, `a list of at most ${maxEntries} paths`))
}

/** `word` stands for a built-in list; alone, the list may be left out. */
export function pathsOr(word: string) {
  const alone = v.pipe(
    v.literal(word),
    v.transform(() => [word]),
  )
  return v.pipe(
    v.union([pathList(), alone], `${strings}, or "${word}"`),
    v.checkItems(
      (value) => !isSlipOf(word, value),
      `"${word}", or a path ("./NAME" for a file of such a name)`,
    ),
  )
}

/** A bare name close to the word is probably a typo of it; taken as a path it would protect nothing. */
function isSlipOf(word: string, value: string): boolean {
  const bare = value.trim().toLowerCase()
  return value !== word && !/^[~.]|\//.test(value) && editDistance(bare, word) <= 2
}

/** Relative to a directory that is found later, absolute, or beneath HOME. */
export function pathsWithinOr(word: string) {
  const isWithin = (path: string) => !path.split('/').includes('..')
  return v.pipe(pathsOr(word), v.checkItems(isWithin, 'a path without ".."'))
}

/** Names that commands of workspace mode cannot make unless they are listed. */
export function protectedNames() {
  const isProtected = (name: string) => protectedInWorkspace.includes(name)
  return v.pipe(
    pathList(),
    v.checkItems(isProtected, ({ input }) => {
      const nearest = protectedInWorkspace.find((name) => editDistance(input, name) <= 2)
      return `one of the protected names in docs/workspace.md${nearest === undefined ? '' : ` (did you mean "${nearest}"?)`}`
    }),
  )
}

const hosts = 'HOST, *.HOST or an address'

export function hostList(said = `${hosts}, each with :PORT or without`) {
  return v.pipe(
    v.array(v.pipe(filledText(said), v.check(isHostPattern, said)), 'a list of hosts'),
    v.maxLength(maxEntries, `a list of at most ${maxEntries} hosts`),
  )
}

export function booleanOrHosts() {
  const list = hostList(`${hosts}, each with :PORT or without; or true or false in place of the list`)
  return v.union([v.boolean(), list], `true, false or a list of hosts: ${hosts}, with :PORT or without`)
}

export const stringTableWanted = 'a table of strings'

/** A table of strings by name; names contain no `=`, as in environ(7). */
export function stringTable() {
  const name = v.pipe(filledText('a name'), v.regex(/^[^=]+$/, 'a name without "="'))
  return v.record(name, textValue(), stringTableWanted)
}

/** More arguments than the kernel passes to a program. */
const maxOperands = 1_000_000
// Other entries never match: a whole command line, and an option without its dash or with a value.
const WORD = /^(?:\.{0,2}\/.*|\S+)$/
const OPTION = /^-[^\s=]+$/

const ruleOptions = () => v.exactOptional(listMatching('an option such as "--force"', OPTION))

const entries = () => ({
  prefix: v.pipe(listMatching('one word', WORD), v.nonEmpty('a list of words, not empty')),
  verdict: oneOf('allow', 'ask', 'deny'),
  reason: v.optional(textValue(), ''),
  match: v.optional(listOf('a command line'), []),
  not_match: v.optional(listOf('a command line'), []),
  allow_options: ruleOptions(),
  ask_options: ruleOptions(),
  deny_options: ruleOptions(),
  operands: v.exactOptional(integer(0, maxOperands)),
})

export const policyRuleKeys = () => Object.keys(entries())

export const policyRule = () => v.strictObject(entries(), `a table with ${policyRuleKeys().join(', ')}`)

/** A rule that loosens the policy. */
export const allowRule = () => v.looseObject({ verdict: v.literal('allow') })
