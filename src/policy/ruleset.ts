import type { Mode } from '../base/types.ts'
import type { Config } from '../config/schema.ts'
import { VitrineError } from '../messages/error.ts'
import { disasters } from '../messages/policy.ts'
import { denyList } from './disasters.ts'
import { knownValue } from './line.ts'
import { parseLine } from './parse.ts'
import { type ArgumentRule, applyRule, optionsIn, type Rule, type Verdict } from './rules.ts'
import { analysisRules, indexRules, type RuleIndex, safeRules } from './safe-list.ts'

export type PolicySettings = Omit<Config['policy'], 'unattended'>
type Preset = PolicySettings['preset']
export type RuleTable = PolicySettings['rule'][number]

/** The file that an entry of a key is in: `fileOf('deny', 0)`. */
export type FileOf = (key: 'allow' | 'ask' | 'deny' | 'safe' | 'rule', index: number) => string

export interface RuleSet {
  readonly preset: Preset
  /** What runs held in read mode, by its words. */
  readonly safe: RuleIndex
  readonly own: readonly Rule[]
  readonly autoConfirm: boolean
  /** `analysis`: allow pipes and output to /dev/null. */
  readonly pipes: boolean
}

/** Builds the rules and checks their examples. Throws CONFIG_INVALID with the file of the faulty entry, which is the last asked for. */
export function buildRules(settings: PolicySettings, fileOf: FileOf = () => 'config'): RuleSet {
  return {
    preset: settings.preset,
    safe: indexRules(safeOf(settings, fileOf)),
    own: [
      ...settings.rule.map((table, index) => tableRule(table, fileOf('rule', index))),
      ...wordRules(settings, 'deny', fileOf),
      ...wordRules(settings, 'ask', fileOf),
      ...wordRules(settings, 'allow', fileOf),
    ],
    autoConfirm: settings.auto_confirm,
    pipes: settings.pipes,
  }
}

/** `safe` selects from the preset's list by first words, and adds what is not on it. */
function safeOf({ preset, safe }: PolicySettings, fileOf: FileOf): readonly Rule[] {
  const listed = preset === 'analysis' ? analysisRules() : preset === 'default' ? safeRules() : []
  if (safe.length === 0) return listed
  return safe.flatMap((text, index) => {
    const own = wordRule(text, 'safe', 'allow', fileOf('safe', index))
    const picked = listed.filter((rule) => own.prefix.every((word, at) => rule.prefix[at] === word))
    return picked.length > 0 ? picked : [own]
  })
}

function wordRules(settings: PolicySettings, verdict: Verdict, fileOf: FileOf): Rule[] {
  return settings[verdict].map((text, index) => wordRule(text, verdict, verdict, fileOf(verdict, index)))
}

/** An entry such as `npm test`. */
function wordRule(text: string, key: string, verdict: Verdict, source: string): Rule {
  const { commands, doubts, features } = parseLine(text)
  const [command, ...others] = commands
  const prefix = command?.words.flatMap((word) => knownValue(word) ?? []) ?? []
  const isPlain =
    command?.words.length === prefix.length &&
    command.assignments.length + others.length + doubts.length + features.size === 0
  if (isPlain && prefix.length > 0) return { prefix, verdict, source, reason: '' }
  throw invalid(`policy.${key}`, source, 'the first words of a command', text)
}

function tableRule(table: RuleTable, source: string): Rule {
  const { prefix, verdict, reason, allow_options, ask_options, deny_options, operands } = table
  const noEffect = allow_options ? 'allow_options' : operands === undefined ? undefined : 'operands'
  if (noEffect && verdict !== 'allow')
    throw invalid(`policy.rule.${noEffect}`, source, 'verdict = "allow" in the same rule', verdict)
  const limits: ArgumentRule = {
    allowed: allow_options && new Set(allow_options.flatMap(optionsIn)),
    asked: ask_options ?? [],
    denied: deny_options ?? [],
    operands,
  }
  const isLimited = (allow_options ?? ask_options ?? deny_options ?? operands) !== undefined
  const rule: Rule = { prefix, verdict, source, reason, ...(isLimited && { arguments: limits }) }
  for (const key of ['match', 'not_match'] as const)
    for (const example of table[key])
      if (appliesTo(rule, example) !== (key === 'match'))
        throw invalid(
          `policy.rule.${key}`,
          source,
          `a command line that the rule ${key === 'match' ? 'matches' : 'does not match'}`,
          example,
        )
  return rule
}

function appliesTo(rule: Rule, example: string): boolean {
  return parseLine(example).commands.some((command) => {
    const outcome = applyRule(rule, command)
    return outcome !== undefined && !outcome.maybe && (rule.verdict !== 'allow' || !outcome.objection)
  })
}

function invalid(key: string, file: string, wanted: string, got: string): VitrineError {
  const problem = { kind: 'bad-value', wanted, got: JSON.stringify(got) } as const
  return new VitrineError({ code: 'CONFIG_INVALID', file, key, problem })
}

interface ListedRule {
  readonly verdict: Verdict
  /** The prefix it matches, or the name of a check. */
  readonly rule: string
  /** A built-in list, a preset, or a config file. */
  readonly source: string
  /** True if the rule restricts arguments. */
  readonly byArguments: boolean
  readonly reason: string
}

export interface RuleList {
  readonly preset: Preset
  /** The verdict for commands no rule names. */
  readonly unlisted: Readonly<Record<Mode, Verdict>>
  /** Commands with verdict `ask` run without a question. */
  readonly autoConfirm: boolean
  readonly rules: readonly ListedRule[]
}

export function listOfRules(set: RuleSet): RuleList {
  return {
    preset: set.preset,
    unlisted: unlistedIn[set.preset],
    autoConfirm: set.autoConfirm,
    rules: [
      ...Object.entries(disasters).map(([rule, reason]) => ({ ...builtInDenial, rule, reason })),
      ...set.own.map(listed),
      ...[...set.safe.values()].flat().map(listed).sort(byName),
    ],
  }
}

const unlistedIn: Readonly<Record<Preset, RuleList['unlisted']>> = {
  open: { read: 'allow', workspace: 'allow', write: 'allow' },
  default: { read: 'allow', workspace: 'allow', write: 'ask' },
  analysis: { read: 'deny', workspace: 'deny', write: 'deny' },
}

const builtInDenial = { verdict: 'deny', source: denyList, byArguments: false } as const

function listed({ prefix, verdict, source, reason, arguments: about }: Rule): ListedRule {
  return { verdict, rule: prefix.join(' '), source, byArguments: about !== undefined, reason }
}

function byName(a: ListedRule, b: ListedRule): number {
  return a.rule < b.rule ? -1 : Number(a.rule > b.rule)
}
