import type { ConfigProblem } from '../base/refusal.ts'
import type { Mode } from '../base/types.ts'
import { VitrineError } from '../messages/error.ts'
import { disasters, explainEndless } from '../messages/policy.ts'
import { wanted } from '../messages/wanted.ts'
import { denyList } from './disasters.ts'
import { knownValue } from './line.ts'
import { parseLine } from './parse.ts'
import { type ArgumentRule, applyRule, optionsIn, type Rule, type Verdict } from './rules.ts'
import { analysisRules, indexRules, type RuleIndex, safeRules } from './safe-list.ts'

export type Preset = 'open' | 'default' | 'analysis'

export interface RuleTable {
  readonly prefix: readonly string[]
  readonly verdict: Verdict
  readonly reason: string
  readonly match: readonly string[]
  readonly not_match: readonly string[]
  /** If present, other options are `ask`. Default: any option. */
  readonly allow_options?: readonly string[]
  readonly ask_options?: readonly string[]
  readonly deny_options?: readonly string[]
  readonly operands?: number
}

export interface PolicySettings {
  readonly preset: Preset
  readonly pipes: boolean
  readonly allow: readonly string[]
  readonly ask: readonly string[]
  readonly deny: readonly string[]
  readonly safe: readonly string[]
  readonly auto_confirm: boolean
  readonly rule: readonly RuleTable[]
}

export interface RuleOrigin {
  readonly file: string
  readonly line?: number
  readonly column?: number
}

/** Finds where an entry of a key is defined: `originOf('deny', 0)`. */
export type OriginOf = (key: 'allow' | 'ask' | 'deny' | 'safe' | 'rule', index: number) => RuleOrigin

export interface RuleSet {
  readonly preset: Preset
  /** What runs held in read mode, by its words. */
  readonly safe: RuleIndex
  readonly own: readonly Rule[]
  readonly autoConfirm: boolean
  /** `analysis`: allow pipes and output to /dev/null. */
  readonly pipes: boolean
}

const nowhere: OriginOf = () => ({ file: 'config' })

/** Builds the rules and checks their examples. Throws CONFIG_INVALID with file and line. */
export function buildRules(settings: PolicySettings, originOf: OriginOf = nowhere): RuleSet {
  return {
    preset: settings.preset,
    safe: indexRules(safeOf(settings, originOf)),
    own: [
      ...settings.rule.map((table, index) => tableRule(table, originOf('rule', index))),
      ...wordRules(settings, 'deny', originOf),
      ...wordRules(settings, 'ask', originOf),
      ...wordRules(settings, 'allow', originOf),
    ],
    autoConfirm: settings.auto_confirm,
    pipes: settings.pipes,
  }
}

/** `safe` selects from the preset's list by first words, and adds what is not on it. */
function safeOf({ preset, safe }: PolicySettings, originOf: OriginOf): readonly Rule[] {
  const listed = preset === 'analysis' ? analysisRules() : preset === 'default' ? safeRules() : []
  if (safe.length === 0) return listed
  return safe.flatMap((text, index) => {
    const origin = originOf('safe', index)
    const prefix = wordsOf(text, 'safe', origin)
    const picked = listed.filter((rule) => prefix.every((word, at) => rule.prefix[at] === word))
    if (picked.length > 0) return picked
    return [{ prefix, verdict: 'allow' as const, source: nameOfOrigin(origin), reason: '' }]
  })
}

function wordRules(settings: PolicySettings, verdict: Verdict, originOf: OriginOf): Rule[] {
  return settings[verdict].map((text, index) => {
    const origin = originOf(verdict, index)
    return { prefix: wordsOf(text, verdict, origin), verdict, source: nameOfOrigin(origin), reason: '' }
  })
}

/** An entry such as `npm test`. */
function wordsOf(text: string, key: string, origin: RuleOrigin): readonly string[] {
  const line = parseLine(text)
  const words = line.commands[0]?.words.map(knownValue) ?? []
  const known_ = words.filter((word) => word !== undefined)
  const plain =
    line.commands.length === 1 &&
    line.commands.every(({ assignments }) => assignments.length === 0) &&
    line.unsure.length === 0 &&
    line.features.size === 0
  if (!plain || known_.length === 0 || known_.length < words.length)
    throw invalid(`policy.${key}`, origin, {
      kind: 'bad-value',
      wanted: 'the first words of a command',
      got: JSON.stringify(text),
    })
  return known_
}

function tableRule(table: RuleTable, origin: RuleOrigin): Rule {
  const { prefix, verdict, reason, allow_options, ask_options, deny_options, operands } = table
  const noEffect = allow_options ? 'allow_options' : operands === undefined ? undefined : 'operands'
  if (noEffect && verdict !== 'allow')
    throw invalid(`policy.rule.${noEffect}`, origin, {
      kind: 'bad-value',
      wanted: 'verdict = "allow" in the same rule',
      got: JSON.stringify(verdict),
    })
  const limited = allow_options ?? ask_options ?? deny_options ?? operands
  const rule: Rule = {
    prefix,
    verdict,
    source: nameOfOrigin(origin),
    reason,
    ...(limited === undefined ? {} : { arguments: argumentsOfTable(table) }),
  }
  for (const example of table.match) if (!appliesTo(rule, example)) throw badExample('match', example, origin)
  for (const example of table.not_match)
    if (appliesTo(rule, example)) throw badExample('not_match', example, origin)
  return rule
}

function argumentsOfTable({ allow_options, ask_options, deny_options, operands }: RuleTable): ArgumentRule {
  return {
    allowed: allow_options && new Set(allow_options.flatMap(optionsIn)),
    asked: ask_options ?? [],
    denied: deny_options ?? [],
    operands,
  }
}

function appliesTo(rule: Rule, example: string): boolean {
  return parseLine(example).commands.some((command) => {
    const outcome = applyRule(rule, command)
    return outcome !== undefined && !outcome.maybe && (rule.verdict !== 'allow' || !outcome.objection)
  })
}

function badExample(key: 'match' | 'not_match', example: string, origin: RuleOrigin): VitrineError {
  const said = wanted.example(key === 'match')
  return invalid(`policy.rule.${key}`, origin, {
    kind: 'bad-value',
    wanted: said,
    got: JSON.stringify(example),
  })
}

function invalid(key: string, { file, line, column }: RuleOrigin, problem: ConfigProblem): VitrineError {
  return new VitrineError({
    code: 'CONFIG_INVALID',
    file,
    ...(line === undefined ? {} : { line }),
    ...(column === undefined ? {} : { column }),
    key,
    problem,
  })
}

function nameOfOrigin({ file, line }: RuleOrigin): string {
  return line === undefined ? file : `${file}:${line}`
}

export interface ListedRule {
  readonly verdict: Verdict
  /** The prefix it matches, or the name of a check. */
  readonly rule: string
  /** A built-in list, a preset, or a config file and its line. */
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
      { ...builtInDenial, rule: 'fork bomb', reason: explainEndless },
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
