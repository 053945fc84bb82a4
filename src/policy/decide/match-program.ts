import type { PolicyMatch } from '../../base/types.ts'
import {
  explainForeign,
  explainHeld,
  explainInterpreter,
  explainMaybe,
  explainObjection,
  explainOpen,
  explainRule,
  explainSafe,
  explainUnlisted,
  explainUnsure,
  explainUntrustedPath,
} from '../../messages/policy.ts'
import { namesToLookUp, programOf } from '../command/program.ts'
import { analysisList } from '../presets/analysis.ts'
import { type RuleIndex, safeList } from '../presets/index.ts'
import { applyRule, type Rule, type RuleOutcome } from '../rules/rules.ts'
import { knownValue, type SimpleCommand } from '../syntax/line.ts'
import type { PolicyInput } from './input.ts'
import { policyMatch, verdictWhenUnsure } from './input.ts'
import type { PlannedStep } from './plan.ts'
import { asTyped, powershellRules } from './powershell.ts'

export function matchProgram(step: PlannedStep, given: PolicyInput): PolicyMatch[] {
  const { command } = step
  if (command.words.length === 0) return []
  const own = given.rules.own.flatMap((rule) => typedOutcome(rule, command, given))
  const strict = own.filter(({ rule }) => rule.verdict !== 'allow')
  const allowed = own.find(({ rule, verdict }) => rule.verdict === 'allow' && verdict === 'allow')
  const refused = own.filter(({ rule, verdict }) => rule.verdict === 'allow' && verdict !== 'allow')
  return [
    ...strict.flatMap((outcome) => strictRow(outcome, command, given)),
    ...refused.flatMap((outcome) => refusedRow(outcome, command, given)),
    programRow(step, given, allowed),
  ]
}

/**
 * The match for a program. A safe program is reported as such even if a user's rule or preset `open` allows
 * it: lines of only safe programs get git protection.
 */
function programRow(step: PlannedStep, given: PolicyInput, allowed: RuleOutcome | undefined): PolicyMatch {
  const { command } = step
  const foreign = foreignRow(step, given, allowed)
  if (foreign) return foreign
  const onlyReads = allowed || given.rules.preset === 'open' ? bestOf(safeList(), command) : undefined
  if (onlyReads?.verdict === 'allow') {
    const name = onlyReads.rule.prefix.join(' ')
    return policyMatch(command.text, name, onlyReads.rule.source, 'allow', explainSafe(name))
  }
  return allowed ? ruleRow(allowed, command) : presetRow(step, given)
}

function ownOutcome(rule: Rule, command: SimpleCommand): RuleOutcome[] {
  const outcome = applyRule(rule, command)
  return outcome ? [outcome] : []
}

/** A rule that asks or denies also counts where it names the alias that was typed in PowerShell. */
function typedOutcome(rule: Rule, command: SimpleCommand, { request }: PolicyInput): RuleOutcome[] {
  const outcomes = ownOutcome(rule, command)
  const isOpen = outcomes.length === 0 && rule.verdict !== 'allow' && request.shell === 'powershell'
  return isOpen ? ownOutcome(rule, asTyped(command)) : outcomes
}

/** The match for an `ask` or `deny` rule. A lenient sandboxed mode never asks, so only `deny` counts there. */
function strictRow(outcome: RuleOutcome, command: SimpleCommand, given: PolicyInput): PolicyMatch[] {
  const { rule, verdict, maybe } = outcome
  if (verdict === 'ask' && given.request.mode !== 'write' && given.lenient) return []
  if (!maybe) return [ruleRow(outcome, command)]
  const name = rule.prefix.join(' ')
  const unsure = verdict === 'deny' ? verdictWhenUnsure(given) : 'ask'
  return [policyMatch(command.text, name, rule.source, unsure, explainMaybe(command.text, name))]
}

/** The match for an `allow` rule whose ask or deny options are given; the preset handles other objections. */
function refusedRow(outcome: RuleOutcome, command: SimpleCommand, { lenient }: PolicyInput): PolicyMatch[] {
  const listed = outcome.rule.arguments && isListed(outcome)
  return listed && !(lenient && outcome.verdict === 'ask') ? [ruleRow(outcome, command)] : []
}

function isListed({ rule, objection }: RuleOutcome): boolean {
  const names = [...(rule.arguments?.asked ?? []), ...(rule.arguments?.denied ?? [])]
  return objection?.kind === 'option' && names.includes(objection.text)
}

function ruleRow({ rule, verdict, objection }: RuleOutcome, command: SimpleCommand): PolicyMatch {
  const name = rule.prefix.join(' ')
  const why =
    objection && rule.reason === ''
      ? explainObjection(name, objection)
      : explainRule(verdict, name, rule.reason)
  return policyMatch(command.text, name, rule.source, verdict, why)
}

function presetRow(step: PlannedStep, given: PolicyInput): PolicyMatch {
  const { rules, request, lenient } = given
  const { command } = step
  const listed = listedOutcome(step, given)
  const source = `preset ${rules.preset}`
  const name = listed?.rule.prefix.join(' ') ?? knownValue(command.words[0]) ?? command.words[0]?.text ?? ''
  if (listed?.verdict === 'allow' && isGuarded(step, given))
    return policyMatch(command.text, name, listed.rule.source, 'allow', explainSafe(name))
  if (lenient)
    return policyMatch(
      command.text,
      name,
      source,
      'allow',
      rules.preset === 'open' ? explainOpen : explainHeld(request.mode),
    )
  const verdict = rules.preset === 'analysis' ? 'deny' : 'ask'
  const interpreter = rules.preset === 'analysis' && bestOf(rules.interpreters, command)
  if (interpreter)
    return policyMatch(
      command.text,
      name,
      source,
      request.mode !== 'write' ? 'allow' : 'ask',
      explainInterpreter(name, request.mode),
    )
  if (listed?.objection)
    return policyMatch(command.text, name, source, verdict, explainObjection(name, listed.objection))
  return policyMatch(
    command.text,
    'unlisted',
    source,
    verdict,
    unlisted(command, rules.preset === 'analysis'),
  )
}

/**
 * A program that lies in a project does not count as the one of the safe list. A user's rule may allow it, unless a system directory
 * has a program of the same name.
 */
function foreignRow(
  { command }: PlannedStep,
  { rules, facts, lenient }: PolicyInput,
  allowed: RuleOutcome | undefined,
): PolicyMatch | undefined {
  const found = namesToLookUp(command).flatMap((name) => facts.foreignPrograms.get(name) ?? [])
  const foreign = allowed ? found.find(({ shadows }) => shadows) : found[0]
  if (!foreign) return undefined
  if (lenient) return policyMatch(command.text, 'program', `preset ${rules.preset}`, 'allow', explainOpen)
  const verdict = rules.preset === 'analysis' ? 'deny' : 'ask'
  return policyMatch(command.text, 'program', 'PATH', verdict, explainForeign(foreign.path))
}

/** True if no file makes it start another. Fails for symlinked directories: their parents differ. */
function isGuarded({ guards, bases }: PlannedStep, { facts }: PolicyInput): boolean {
  if (guards.length === 0) return true
  const isPlain = bases.length > 0 && bases.every((base) => facts.realPaths.get(base) === base)
  return isPlain && guards.every((guard) => facts.globs.get(guard)?.matches.length === 0)
}

function unlisted(command: SimpleCommand, isAnalysis: boolean): string {
  const program = programOf(command)
  const [head] = command.words
  const text = head?.text ?? ''
  if (head?.filledBy) return explainUnsure({ kind: 'program-name', text: '' })
  if (program && !program.trusted && text.includes('/')) return explainUntrustedPath(text)
  const shown =
    program?.words
      .slice(0, text === 'git' ? 2 : 1)
      .map((word) => word.text)
      .join(' ') ?? text
  return explainUnlisted(shown, isAnalysis ? analysisList : undefined)
}

/** The safe list's outcome. A wrapper is checked by its own words, its command separately. */
function listedOutcome(
  { command, wrapped }: PlannedStep,
  { rules, request }: PolicyInput,
): RuleOutcome | undefined {
  if (request.shell === 'powershell')
    return request.work.kind === 'line' ? bestOf(powershellRules, command) : undefined
  const isWrapper = wrapped && wrapped.inner.length > 0 && wrapped.scripts.length === 0
  return bestOf(rules.safe, isWrapper ? { ...command, words: wrapped.own } : command)
}

/** The outcome of the first rule that allows, otherwise of the longest matching prefix. */
function bestOf(index: RuleIndex, command: SimpleCommand): RuleOutcome | undefined {
  const name = knownValue(programOf(command)?.words[0])
  const outcomes = (index.get(name ?? '') ?? []).flatMap((rule) => ownOutcome(rule, command))
  return outcomes.find(({ verdict }) => verdict === 'allow') ?? outcomes[0]
}
