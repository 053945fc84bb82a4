import type { PolicyMatch } from '../../base/types.ts'
import {
  explainForeign,
  explainInterpreter,
  explainMaybe,
  explainObjection,
  explainOpen,
  explainReadMode,
  explainRule,
  explainSafe,
  explainUnlisted,
  explainUntrustedPath,
} from '../../messages/policy.ts'
import { lookedUp, programOf } from '../command/program.ts'
import { analysisList } from '../presets/analysis.ts'
import { type RuleIndex, safeList } from '../presets/index.ts'
import { applyRule, type Rule, type RuleOutcome } from '../rules/rules.ts'
import { known, type SimpleCommand } from '../syntax/line.ts'
import type { Case } from './case.ts'
import { row, verdictWhenUnsure } from './case.ts'
import type { PlannedStep } from './plan.ts'
import { powershellRules } from './powershell.ts'

/** What the rules say about the program of a command: the user's own first, then the preset's. */
export function judgeProgram(step: PlannedStep, given: Case): PolicyMatch[] {
  const { command } = step
  if (command.words.length === 0) return []
  const own = given.rules.own.flatMap((rule) => ownOutcome(rule, command))
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
 * What the safe list knows is said to be known, also where a rule of the user's or the preset allows it anyway: such a line
 * runs with git's protection.
 */
function programRow(step: PlannedStep, given: Case, allowed: RuleOutcome | undefined): PolicyMatch {
  const { command } = step
  const foreign = foreignRow(step, given, allowed)
  if (foreign) return foreign
  const looks = allowed || given.rules.preset === 'open' ? bestOf(safeList, command) : undefined
  if (looks?.verdict === 'allow') {
    const name = looks.rule.prefix.join(' ')
    return row(command.text, name, looks.rule.source, 'allow', explainSafe(name))
  }
  return allowed ? ruleRow(allowed, command) : presetRow(step, given)
}

function ownOutcome(rule: Rule, command: SimpleCommand): RuleOutcome[] {
  const outcome = applyRule(rule, command)
  return outcome ? [outcome] : []
}

/** An ask or deny rule. In read mode only what is denied matters, for nothing is asked there. */
function strictRow(outcome: RuleOutcome, command: SimpleCommand, given: Case): PolicyMatch[] {
  const { rule, verdict, maybe } = outcome
  if (verdict === 'ask' && given.request.mode === 'read' && given.lenient) return []
  if (!maybe) return [ruleRow(outcome, command)]
  const name = rule.prefix.join(' ')
  const unsure = verdict === 'deny' ? verdictWhenUnsure(given) : 'ask'
  return [row(command.text, name, rule.source, unsure, explainMaybe(command.text, name))]
}

/** An allow rule that names options of its own to ask about or to deny. What it merely does not know is left to the preset. */
function refusedRow(outcome: RuleOutcome, command: SimpleCommand, { lenient }: Case): PolicyMatch[] {
  const listed = outcome.rule.arguments && outcome.objection?.kind === 'option' && isListed(outcome)
  return listed && !(lenient && outcome.verdict === 'ask') ? [ruleRow(outcome, command)] : []
}

function isListed({ rule, objection }: RuleOutcome): boolean {
  const names = [...(rule.arguments?.asked ?? []), ...(rule.arguments?.denied ?? [])]
  return objection !== undefined && names.includes(objection.text)
}

function ruleRow({ rule, verdict, objection }: RuleOutcome, command: SimpleCommand): PolicyMatch {
  const name = rule.prefix.join(' ')
  const why =
    objection && rule.reason === ''
      ? explainObjection(name, objection)
      : explainRule(verdict, name, rule.reason)
  return row(command.text, name, rule.source, verdict, why)
}

/** What the preset says about a command that the user's own rules do not allow. */
function presetRow(step: PlannedStep, given: Case): PolicyMatch {
  const { rules, request, lenient } = given
  const { command } = step
  const listed = listedOutcome(step, given)
  const source = `preset ${rules.preset}`
  const name = listed?.rule.prefix.join(' ') ?? known(command.words[0]) ?? command.words[0]?.text ?? ''
  if (listed?.verdict === 'allow' && isGuarded(step, given))
    return row(command.text, name, listed.rule.source, 'allow', explainSafe(name))
  if (lenient)
    return row(
      command.text,
      name,
      source,
      'allow',
      rules.preset === 'open' ? explainOpen() : explainReadMode(),
    )
  const verdict = rules.preset === 'analysis' ? 'deny' : 'ask'
  const interpreter = rules.preset === 'analysis' && bestOf(rules.interpreters, command)
  if (interpreter)
    return row(
      command.text,
      name,
      source,
      request.mode === 'read' ? 'allow' : 'ask',
      explainInterpreter(name, request.mode),
    )
  if (listed?.objection)
    return row(command.text, name, source, verdict, explainObjection(name, listed.objection))
  return row(command.text, 'unlisted', source, verdict, unlisted(command, rules.preset === 'analysis'))
}

/**
 * A program that comes with a project is not the one that the safe list knows. A rule of yours allows it by its name, unless
 * the system has one of that name.
 */
function foreignRow(
  { command }: PlannedStep,
  { rules, facts, lenient }: Case,
  allowed: RuleOutcome | undefined,
): PolicyMatch | undefined {
  const found = lookedUp(command).flatMap((name) => facts.foreignPrograms.get(name) ?? [])
  const foreign = allowed ? found.find(({ shadows }) => shadows) : found[0]
  if (!foreign) return undefined
  if (lenient) return row(command.text, 'program', `preset ${rules.preset}`, 'allow', explainOpen())
  const verdict = rules.preset === 'analysis' ? 'deny' : 'ask'
  return row(command.text, 'program', 'PATH', verdict, explainForeign(foreign.path))
}

/** Whether nothing on disk makes another program of it. A directory behind a link has others above it than its name says. */
function isGuarded({ guards, bases }: PlannedStep, { facts }: Case): boolean {
  if (guards.length === 0) return true
  const isPlain = bases.length > 0 && bases.every((base) => facts.realPaths.get(base) === base)
  // What a pattern finds comes with the directory that it begins in.
  return isPlain && guards.every((guard) => facts.globs.get(guard)?.length === 1)
}

function unlisted(command: SimpleCommand, isAnalysis: boolean): string {
  const program = programOf(command)
  const text = command.words[0]?.text ?? ''
  if (program && !program.trusted && text.includes('/')) return explainUntrustedPath(text)
  const shown =
    program?.words
      .slice(0, text === 'git' ? 2 : 1)
      .map((word) => word.text)
      .join(' ') ?? text
  return explainUnlisted(shown, isAnalysis ? analysisList : '')
}

/** What the safe list says. A wrapper is judged by its own words; what it starts is judged for itself. */
function listedOutcome({ command, wrapped }: PlannedStep, { rules, request }: Case): RuleOutcome | undefined {
  if (request.shell === 'powershell')
    return request.work.kind === 'line' ? bestOf(powershellRules, command) : undefined
  const isWrapper = wrapped && wrapped.inner.length > 0 && wrapped.scripts.length === 0
  return bestOf(rules.safe, isWrapper ? { ...command, words: wrapped.own } : command)
}

/** The outcome of the rule that allows, or else of the longest one that matches. */
function bestOf(index: RuleIndex, command: SimpleCommand): RuleOutcome | undefined {
  const name = known(programOf(command)?.words[0])
  const outcomes = (index.get(name ?? '') ?? []).flatMap((rule) => ownOutcome(rule, command))
  return outcomes.find(({ verdict }) => verdict === 'allow') ?? outcomes[0]
}
