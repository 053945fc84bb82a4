import type { Mode } from '../../base/types.ts'
import { disasters, explainEndless } from '../../messages/policy.ts'
import type { Rule } from '../rules/rules.ts'
import type { Verdict } from '../rules/verdict.ts'
import { denyList } from './input.ts'
import type { Preset, RuleSet } from './ruleset.ts'

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
