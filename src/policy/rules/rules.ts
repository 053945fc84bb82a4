import {
  type Arguments,
  type Objection,
  type OptionNames,
  type OptionTable,
  optionTable,
  readArguments,
} from '../command/arguments.ts'
import { type NamedProgram, nameOf, programOf } from '../command/program.ts'
import { knownValue, type SimpleCommand, type Word } from '../syntax/line.ts'
import type { Verdict } from './verdict.ts'

interface Operands {
  /** `pattern`: the first operand is a script, unless an option in `patternIn` has it; the rest are paths. */
  readonly are: 'paths' | 'words' | 'pattern'
  readonly most: number
  readonly patternIn: readonly string[]
}

export interface ArgumentRule {
  /** If undefined, `check` sees the unparsed words. */
  readonly options: OptionTable | undefined
  /** Options that turn the verdict into `ask` or `deny`. */
  readonly asked: readonly string[]
  readonly denied: readonly string[]
  readonly operands: Operands
  /** No option of the program writes or runs anything, so words unknown before expansion are harmless. */
  readonly harmless: boolean
  /** Checks what option names and operand counts cannot express. */
  readonly check: (given: Arguments) => Objection | undefined
  /** Words that name files, if `operands` cannot express it. */
  readonly paths?: (words: readonly Word[]) => readonly Word[]
}

/** A verdict on commands that begin with a given prefix. */
export interface Rule {
  readonly prefix: readonly string[]
  readonly verdict: Verdict
  /** A preset, or a config file and its line. */
  readonly source: string
  readonly reason: string
  /** If absent, any arguments match. */
  readonly arguments?: ArgumentRule
}

export interface RuleOutcome {
  readonly rule: Rule
  readonly verdict: Verdict
  /** Why the verdict differs from the rule's. */
  readonly objection?: Objection
  /** True if the match depends on how the shell expands the words. */
  readonly maybe: boolean
}

/** `undefined` if it does not match. */
export function applyRule(rule: Rule, command: SimpleCommand): RuleOutcome | undefined {
  const program = programOf(command)
  if (!program) return undefined
  if (rule.verdict !== 'allow') return applyStrictly(rule, program, command.words)
  if (!startsWith(program, rule.prefix)) return undefined
  return outcomeOf(rule, program, command.words)
}

export function argumentsOf(rule: Rule, command: SimpleCommand): Arguments | undefined {
  const program = programOf(command)
  if (!program || !rule.arguments) return undefined
  return given(rule.arguments, program.words.slice(rule.prefix.length))
}

function given({ options, harmless }: ArgumentRule, words: readonly Word[]): Arguments {
  return options ? readArguments(words, options, harmless) : { options: [], operands: words, words }
}

/** `words`: with the options before a subcommand. */
function outcomeOf(rule: Rule, program: NamedProgram, words: readonly Word[]): RuleOutcome {
  const { arguments: about } = rule
  const option = about && listedOption(about, words)
  if (option?.verdict === 'deny') return { rule, maybe: false, ...option }
  if (program.objection) return { rule, verdict: 'ask', objection: program.objection, maybe: false }
  if (!about) return { rule, verdict: rule.verdict, maybe: false }
  const read = given(about, program.words.slice(rule.prefix.length))
  if (option) return { rule, maybe: false, ...option }
  const objection = read.objection ?? tooMany(about.operands, read.operands) ?? about.check(read)
  return objection
    ? { rule, verdict: 'ask', objection, maybe: false }
    : { rule, verdict: rule.verdict, maybe: false }
}

function tooMany({ most }: Operands, given: readonly Word[]): Objection | undefined {
  if (most === Number.POSITIVE_INFINITY) return undefined
  const several = given.find(({ kind }) => kind === 'open' || kind === 'glob' || kind === 'brace')
  const text = several?.text ?? given[most]?.text
  return several || given.length > most ? { kind: 'operand', text: text ?? '' } : undefined
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
  const option = rule.arguments && listedOption(rule.arguments, given)
  return { rule, verdict: rule.verdict, ...option, maybe: found === 'maybe' }
}

function listedOption(
  { denied, asked }: ArgumentRule,
  words: readonly Word[],
): Pick<RuleOutcome, 'verdict' | 'objection'> | undefined {
  const found = (names: readonly string[]) => names.find((name) => mentions(words, name))
  const worst = found(denied)
  if (worst !== undefined) return { verdict: 'deny', objection: { kind: 'option', text: worst } }
  const doubtful = found(asked)
  return doubtful === undefined
    ? undefined
    : { verdict: 'ask', objection: { kind: 'option', text: doubtful } }
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
      if (word?.kind !== 'literal') isOpen ||= word !== undefined && couldBe(word, part)
      else if (word.value === part) ends.add(place + 1)
      else if (word.value.startsWith('-')) places.add(place + 1).add(place + 2)
    }
    if (ends.size === 0) return isOpen ? 'maybe' : 'no'
    starts = ends
  }
  return 'yes'
}

function couldBe(word: Word, part: string): boolean {
  return word.kind === 'open' ? part.startsWith(word.fixed) || word.fixed === '' : part.startsWith(word.fixed)
}

function findOption(words: readonly Word[], option: string): Found {
  if (mentions(words, option)) return 'yes'
  return words.some((word) => word.kind !== 'literal' && couldBe(word, option)) ? 'maybe' : 'no'
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

const anyNumber = Number.POSITIVE_INFINITY

/** What a table says of an `ArgumentRule`. */
export interface ArgumentParts {
  readonly options?: OptionNames | undefined
  readonly operands?: Partial<Operands>
  readonly harmless?: boolean
  readonly check?: ArgumentRule['check']
  readonly asked?: readonly string[]
  readonly denied?: readonly string[]
  readonly paths?: (words: readonly Word[]) => readonly Word[]
}

export function argumentRule(parts: ArgumentParts): ArgumentRule {
  return {
    options: parts.options && optionTable(parts.options),
    asked: parts.asked ?? [],
    denied: parts.denied ?? [],
    operands: { are: 'paths', most: anyNumber, patternIn: [], ...parts.operands },
    harmless: parts.harmless ?? false,
    check: parts.check ?? (() => undefined),
    ...(parts.paths ? { paths: parts.paths } : {}),
  }
}
