import { systemDirectories } from '../base/paths.ts'
import { words } from '../base/text.ts'
import type { Decision } from '../base/types.ts'
import { knownValue, type SimpleCommand, type Word } from './line.ts'

/** What a user's rule says of arguments. */
export interface ArgumentRule {
  /** Other options are asked about. Undefined: any option. */
  readonly allowed: ReadonlySet<string> | undefined
  /** Options that turn the verdict into `ask` or `deny`. */
  readonly asked: readonly string[]
  readonly denied: readonly string[]
  /** More operands are asked about. */
  readonly operands: number | undefined
}

/** A verdict on commands that begin with a given prefix. */
export interface Rule {
  readonly prefix: readonly string[]
  readonly verdict: Verdict
  /** A preset, or a config file. */
  readonly source: string
  readonly reason: string
  /** If absent, any arguments match. */
  readonly arguments?: ArgumentRule
  /** The objection to the words behind the prefix. */
  readonly check?: (words: readonly Word[]) => string | undefined
}

export interface RuleOutcome {
  readonly rule: Rule
  readonly verdict: Verdict
  /** Why the verdict differs from the rule's. */
  readonly objection?: string
  /** True if the match depends on how the shell expands the words. */
  readonly maybe: boolean
}

/** `undefined` if it does not match. */
export function applyRule(rule: Rule, command: SimpleCommand): RuleOutcome | undefined {
  const program = programOf(command)
  if (!program) return undefined
  if (rule.verdict !== 'allow') return applyStrictly(rule, program, command.words)
  if (!startsWith(program, rule.prefix)) return undefined
  const option = listedOption(rule, command.words)
  if (option?.verdict === 'deny') return { rule, maybe: false, ...option }
  const { verdict } = rule
  const rest = program.words.slice(rule.prefix.length)
  const objection = program.objection ?? option?.objection ?? objectionTo(rest, rule) ?? rule.check?.(rest)
  return objection === undefined
    ? { rule, verdict, maybe: false }
    : { rule, verdict: 'ask', objection, maybe: false }
}

/** The first word that is no option of the list, or an operand too many. */
function objectionTo(words: readonly Word[], { arguments: about }: Rule): string | undefined {
  const end = words.findIndex((word) => knownValue(word) === '--')
  const before = end === -1 ? words : words.slice(0, end)
  const isAllowed = (name: string) => about?.allowed?.has(name)
  for (const word of about?.allowed ? before.filter((each) => isOption(each) || mayBeOption(each)) : []) {
    const wrong = word.kind === 'literal' ? optionsIn(word.value).find((name) => !isAllowed(name)) : word.text
    if (wrong !== undefined) return wrong
  }
  const { operands } = about ?? {}
  if (operands === undefined) return undefined
  const given = [...before.filter((word) => !isOption(word)), ...(end === -1 ? [] : words.slice(end + 1))]
  const several = given.find(({ kind }) => kind === 'open' || kind === 'glob')
  return (several ?? given[operands])?.text
}

function isOption({ fixed, value }: Word): boolean {
  return fixed.startsWith('-') && value !== '-'
}

/** True if the word may expand to an option, alone or among other words. */
function mayBeOption({ kind, fixed }: Word): boolean {
  return kind === 'open' || (fixed === '' && kind !== 'literal')
}

/** The options in a word: `--name`, or each letter of a cluster. */
export function optionsIn(text: string): readonly string[] {
  return text.startsWith('--') ? [text] : [...text.slice(1)].map((letter) => `-${letter}`)
}

/** For `allow`: every prefix word must be in place; a path in it matches only that exact path. */
function startsWith(
  { words, trusted, written }: NamedProgram,
  [name = '', ...rest]: readonly string[],
): boolean {
  const isNamed = name.includes('/') ? written === name : trusted && knownValue(words[0]) === name
  return isNamed && rest.every((part, index) => knownValue(words[index + 1]) === part)
}

/** For `ask`, `deny`: options may intervene, any path counts, and a word that may expand to the prefix. */
function applyStrictly(rule: Rule, program: NamedProgram, given: readonly Word[]): RuleOutcome | undefined {
  const [name = '', ...rest] = rule.prefix
  const head = program.words[0]
  if (!head) return undefined
  if (head.kind === 'literal' && nameOf(head.value) !== nameOf(name)) return undefined
  // A relative path such as `./git` is probably another program but may lead to git.
  const certain = head.kind === 'literal' && (!head.value.includes('/') || head.value.startsWith('/'))
  const tail = program.words.slice(1)
  const positional = rest.filter((part) => !part.startsWith('-'))
  const words = findWords(tail, positional)
  const found = weakest(
    certain ? 'yes' : 'maybe',
    // With `git -c alias.p=push p` the meaning of the subcommand is unknown.
    words === 'no' && program.objection ? 'maybe' : words,
    ...rest.filter((part) => part.startsWith('-')).map((option) => findOption(given.slice(1), option)),
  )
  if (found === 'no') return undefined
  return { rule, verdict: rule.verdict, ...listedOption(rule, given), maybe: found === 'maybe' }
}

/** An option that the rule denies, or asks about. */
function listedOption(
  { arguments: about }: Rule,
  words: readonly Word[],
): Pick<RuleOutcome, 'verdict' | 'objection'> | undefined {
  for (const verdict of ['deny', 'ask'] as const) {
    const names = verdict === 'deny' ? about?.denied : about?.asked
    const objection = names?.find((name) => mentions(words, name))
    if (objection !== undefined) return { verdict, objection }
  }
  return undefined
}

type Found = 'yes' | 'maybe' | 'no'

function weakest(...found: readonly Found[]): Found {
  if (found.includes('no')) return 'no'
  return found.includes('maybe') ? 'maybe' : 'yes'
}

/** Looks for `parts`, in order, as the first words that are neither options nor possible option values. */
function findWords(words: readonly Word[], parts: readonly string[]): Found {
  let isOpen = false
  let starts: ReadonlySet<number> = new Set([0])
  for (const part of parts) {
    const places = new Set(starts)
    const ends = new Set<number>()
    // The loop also visits the places that it adds, each one once: trying every combination would take exponential time.
    for (const place of places) {
      const word = words[place]
      if (word?.kind !== 'literal') isOpen ||= word !== undefined && part.startsWith(word.fixed)
      else if (word.value === part) ends.add(place + 1)
      else if (word.value.startsWith('-')) places.add(place + 1).add(place + 2)
    }
    if (ends.size === 0) return isOpen ? 'maybe' : 'no'
    starts = ends
  }
  return 'yes'
}

function findOption(words: readonly Word[], option: string): Found {
  if (mentions(words, option)) return 'yes'
  return words.some((word) => word.kind !== 'literal' && option.startsWith(word.fixed)) ? 'maybe' : 'no'
}

/** True if the option is given: exactly, with a value, abbreviated or in a cluster. */
function mentions(words: readonly Word[], option: string): boolean {
  return words.some(({ value }) => {
    const given = value.split('=', 1)[0] ?? ''
    if (given === option) return true
    if (option.startsWith('--')) return given.length > 3 && given.startsWith('--') && option.startsWith(given)
    const letters = option.slice(1)
    return /^-[A-Za-z]+$/.test(given) && [...letters].every((letter) => given.includes(letter))
  })
}

export type Verdict = Decision['verdict']

const order: readonly Verdict[] = ['allow', 'ask', 'deny']

export function compareVerdicts(a: Verdict, b: Verdict): number {
  return order.indexOf(a) - order.indexOf(b)
}

export function strictest<T extends { readonly verdict: Verdict }>(rows: readonly T[]): T | undefined {
  return rows.reduce<T | undefined>(
    (worst, row) => (worst && compareVerdicts(row.verdict, worst.verdict) <= 0 ? worst : row),
    undefined,
  )
}

/** The program a simple command starts, without the options before its subcommand. */
interface NamedProgram {
  /** Name and arguments; a system directory is removed from the name. */
  readonly words: readonly Word[]
  /** True if the name is looked up in PATH or lies in a system directory. */
  readonly trusted: boolean
  readonly written: string
  /** An option before the subcommand with which no rule simply allows it. */
  readonly objection?: string
}

/** The program of a simple command; `undefined` if it has only assignments or redirects. */
export function programOf({ words }: SimpleCommand): NamedProgram | undefined {
  const [head, ...rest] = words
  if (!head) return undefined
  const slash = head.value.lastIndexOf('/')
  const inSystem = slash > 0 && systemDirectories.has(head.value.slice(0, slash))
  const trusted = head.kind === 'literal' && (slash === -1 || inSystem)
  const name = inSystem
    ? { ...head, value: head.value.slice(slash + 1), fixed: head.value.slice(slash + 1) }
    : head
  if (nameOf(head.value) !== 'git') return { words: [name, ...rest], trusted, written: head.value }
  return { ...gitProgram(name, rest), trusted, written: head.value }
}

/** The name without directory or `.exe`, in lower case because macOS also finds `GIT`. */
export function nameOf(written: string): string {
  const base = written.slice(written.lastIndexOf('/') + 1)
  return base.toLowerCase().replace(/\.exe$/, '')
}

// git(1), OPTIONS
const gitHarmless = new Set(
  words(`
  --no-pager -P --no-optional-locks --no-replace-objects --no-lazy-fetch --no-advice --literal-pathspecs
  --glob-pathspecs --noglob-pathspecs --icase-pathspecs`),
)
const gitValued = new Set(
  words('-c --git-dir --work-tree --namespace --config-env --attr-source --super-prefix'),
)

function gitProgram(name: Word, words: readonly Word[]): Omit<NamedProgram, 'trusted' | 'written'> {
  let objection: string | undefined
  let at = 0
  for (; at < words.length; at++) {
    const word = words[at]
    const option = knownValue(word)
    if (!word?.fixed.startsWith('-') || option === '--version') break
    if (option === '-C' && words[at + 1]) at += 1
    else if (option === undefined || !gitHarmless.has(option)) {
      objection ??= word.text
      if (option !== undefined && gitValued.has(option)) at += 1
    }
  }
  return { words: [name, ...words.slice(at)], ...(objection !== undefined && { objection }) }
}
