import type { NamedProgram } from '../command/program.ts'
import type { Rule } from '../rules/rules.ts'
import { knownValue } from '../syntax/line.ts'
import { analysisRules } from './analysis.ts'
import { fileRules } from './files.ts'
import { gitRules } from './git.ts'
import { once } from './once.ts'
import { shellRules } from './shell.ts'
import { textRules } from './text.ts'
import { toolRules } from './tools.ts'
import { wrapperRules } from './wrappers.ts'

/** The safe list: programs with arguments that change nothing. */
export const defaultRules: readonly Rule[] = [
  ...fileRules,
  ...textRules,
  ...shellRules,
  ...gitRules,
  ...toolRules,
  ...wrapperRules,
]

/** Rules by program name, longest prefix first. */
export type RuleIndex = ReadonlyMap<string, readonly Rule[]>

export function indexRules(rules: readonly Rule[]): RuleIndex {
  const index = new Map<string, Rule[]>()
  for (const rule of rules) {
    const name = rule.prefix[0] ?? ''
    const known = index.get(name)
    if (known) known.push(rule)
    else index.set(name, [rule])
  }
  for (const list of index.values())
    if (list.length > 1) list.sort((a, b) => b.prefix.length - a.prefix.length)
  return index
}

/** The safe list of the default preset, independent of the configuration. */
export const safeList = once(() => indexRules(defaultRules))

const everything = once(() => indexRules([...defaultRules, ...analysisRules()]))

/** The built-in rule that can parse a program's arguments, whatever the preset. */
export function builtInRuleFor({ words }: NamedProgram): Rule | undefined {
  const candidates = everything().get(knownValue(words[0]) ?? '') ?? []
  return candidates.find(({ prefix }) => prefix.every((part, index) => knownValue(words[index]) === part))
}
