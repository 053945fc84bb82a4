import type { PolicyMatch } from '../base/types.ts'
import {
  explainMaybe,
  explainNothing,
  explainObjection,
  explainOpen,
  explainRule,
  explainSafe,
  explainUnlisted,
  explainUnsure,
  explainUntrustedPath,
} from '../messages/policy.ts'
import { knownValue, type SimpleCommand, type UnsureKind } from './line.ts'
import type { Places } from './own-files.ts'
import type { PlannedStep, PolicyRequest } from './plan.ts'
import { asTyped, powershellRules } from './powershell.ts'
import { programOf } from './program.ts'
import { applyRule, type Rule, type RuleOutcome, type Verdict } from './rules.ts'
import type { RuleSet } from './ruleset.ts'
import { analysisList, type RuleIndex } from './safe-list.ts'

/**
 * `safe`: on the safe list, by its words. `allowed`: by a rule of the user, or preset `open`. `neither`: whatever its verdict, the
 * line does not run held.
 */
type Standing = 'safe' | 'allowed' | 'neither'

export interface JudgedStep {
  readonly step: PlannedStep
  readonly standing: Standing
  /** What allows the program, or what the preset says about it. */
  readonly row: PolicyMatch
  /** Rules of the user that ask or deny. */
  readonly strict: readonly PolicyMatch[]
}

/** What rules and preset say about the program of a step. */
export function judged(step: PlannedStep, given: PolicyInput): JudgedStep {
  const { rules } = given
  const { command } = step
  const own = rules.own.flatMap((rule) => typedOutcome(rule, command, given))
  const strict = own
    .filter(({ rule }) => rule.verdict !== 'allow')
    .flatMap((found) => strictRow(found, command, given))
  const refused = own
    .filter(({ rule, verdict }) => rule.verdict === 'allow' && verdict !== 'allow')
    .flatMap((outcome) => refusedRow(outcome, command, given))
  const allowed = own.find(({ rule, verdict }) => rule.verdict === 'allow' && verdict === 'allow')
  return { step, strict: [...strict, ...refused], ...standingOf(step, given, allowed) }
}

function standingOf(
  step: PlannedStep,
  given: PolicyInput,
  allowed: RuleOutcome | undefined,
): Pick<JudgedStep, 'standing' | 'row'> {
  const { rules } = given
  const { command } = step
  if (allowed) return { standing: 'allowed', row: ruleRow(allowed, command) }
  const source = `preset ${rules.preset}`
  if (rules.preset === 'open')
    return {
      standing: 'allowed',
      row: policyMatch(command.text, nameIn(command), source, 'allow', explainOpen),
    }
  // Only assignments or redirects, which are looked at by themselves.
  if (command.words.length === 0)
    return { standing: 'safe', row: policyMatch(command.text, 'no program', source, 'allow', explainNothing) }
  const listed = listedOutcome(step, given)
  if (listed?.verdict === 'allow') {
    const name = listed.rule.prefix.join(' ')
    return {
      standing: 'safe',
      row: policyMatch(command.text, name, listed.rule.source, 'allow', explainSafe(name)),
    }
  }
  const verdict = rules.preset === 'analysis' ? 'deny' : 'ask'
  const why = listed?.objection
    ? explainObjection(listed.rule.prefix.join(' '), listed.objection)
    : unlisted(command, rules.preset === 'analysis')
  return { standing: 'neither', row: policyMatch(command.text, 'unlisted', source, verdict, why) }
}

/** A rule that asks or denies also counts where it names the alias that was typed in PowerShell. */
function typedOutcome(rule: Rule, command: SimpleCommand, { request }: PolicyInput): RuleOutcome[] {
  const outcome = applyRule(rule, command)
  if (outcome) return [outcome]
  if (rule.verdict === 'allow' || request.shell !== 'powershell') return []
  const typed = applyRule(rule, asTyped(command))
  return typed ? [typed] : []
}

/** The match for an `ask` or `deny` rule. A sandboxed mode asks only under preset `analysis`. */
function strictRow(outcome: RuleOutcome, command: SimpleCommand, given: PolicyInput): PolicyMatch[] {
  const { rule, verdict, maybe } = outcome
  if (verdict === 'ask' && given.request.mode !== 'write' && given.rules.preset !== 'analysis') return []
  if (!maybe) return [ruleRow(outcome, command)]
  const name = rule.prefix.join(' ')
  const unsure = verdict === 'deny' ? verdictWhenUnsure(given) : 'ask'
  return [policyMatch(command.text, name, rule.source, unsure, explainMaybe(command.text, name))]
}

/** The match for an `allow` rule whose ask or deny options are given; the preset handles other objections. */
function refusedRow(
  outcome: RuleOutcome,
  command: SimpleCommand,
  { request, rules }: PolicyInput,
): PolicyMatch[] {
  const { rule, verdict, objection } = outcome
  const names = [...(rule.arguments?.asked ?? []), ...(rule.arguments?.denied ?? [])]
  const isListed = objection?.kind === 'option' && names.includes(objection.text)
  const isLenient = rules.preset === 'open' || (request.mode !== 'write' && rules.preset === 'default')
  return isListed && !(isLenient && verdict === 'ask') ? [ruleRow(outcome, command)] : []
}

function ruleRow({ rule, verdict, objection }: RuleOutcome, command: SimpleCommand): PolicyMatch {
  const name = rule.prefix.join(' ')
  const why =
    objection && rule.reason === ''
      ? explainObjection(name, objection)
      : explainRule(verdict, name, rule.reason)
  return policyMatch(command.text, name, rule.source, verdict, why)
}

/** The safe list's outcome. */
function listedOutcome({ command }: PlannedStep, { rules, request }: PolicyInput): RuleOutcome | undefined {
  if (request.shell === 'powershell')
    return request.work.kind === 'line' ? firstOf(powershellRules, command) : undefined
  return firstOf(rules.safe, command)
}

/** The outcome of the first rule that allows, otherwise of the longest matching prefix. */
function firstOf(index: RuleIndex, command: SimpleCommand): RuleOutcome | undefined {
  const name = knownValue(programOf(command)?.words[0])
  const outcomes = (index.get(name ?? '') ?? []).flatMap((rule) => applyRule(rule, command) ?? [])
  return outcomes.find(({ verdict }) => verdict === 'allow') ?? outcomes[0]
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

export function nameIn({ words: [head] }: SimpleCommand): string {
  return knownValue(head) ?? head?.text ?? ''
}

export interface PolicyInput {
  readonly request: PolicyRequest
  readonly rules: RuleSet
  readonly places: Places
}

const unread: ReadonlySet<UnsureKind> = new Set([
  'too-long',
  'too-many-here-documents',
  'too-many-commands',
  'nesting',
  'unanswered',
])

/** For a line that may do anything. In write mode, `ask` even under preset `open`, for what is not known. */
export function verdictWhenUnsure({ rules, request }: PolicyInput, kind?: UnsureKind): Verdict {
  if (rules.preset === 'analysis') return 'deny'
  if (request.mode === 'write' && (rules.preset === 'default' || (kind && unread.has(kind)))) return 'ask'
  return rules.own.some(({ verdict }) => verdict === 'deny') ? 'ask' : 'allow'
}

export function policyMatch(
  command: string,
  rule: string,
  source: string,
  verdict: Verdict,
  why: string,
): PolicyMatch {
  return { command, rule, source, verdict, why }
}
