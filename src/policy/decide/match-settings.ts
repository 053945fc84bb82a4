import { isBeneath } from '../../base/paths.ts'
import type { PolicyMatch } from '../../base/types.ts'
import type { FoundEntry } from '../../facts/facts.ts'
import {
  explainAssignment,
  explainHook,
  explainRedirect,
  explainRepositoryKey,
  explainRepositoryProgram,
  explainRepositoryUnknown,
  explainRepositoryUnreadable,
  explainState,
} from '../../messages/policy.ts'
import { expand } from '../command/expand.ts'
import { isBuiltIn, programOf } from '../command/program.ts'
import { changesReading, isDangerousVariable, isHarmlessSetting, mayNamePlace } from '../command/variables.ts'
import { applyRule, type Rule } from '../rules/rules.ts'
import { knownValue, type Redirect, type SimpleCommand } from '../syntax/line.ts'
import { parseLine } from '../syntax/parse.ts'
import { type PolicyInput, policyMatch } from './input.ts'
import type { PlannedStep } from './plan.ts'
import { dangerousEntry, entriesActedOn, hookOf, namesCommand } from './repositories.ts'
import type { RuleSet } from './ruleset.ts'

/** How git is protected from programs that its repository names. */
export interface Protection {
  /** The line only reads (`gitCare: 'line'`): its environment overrides repository settings and hooks. */
  readonly line: boolean
  readonly command: boolean
}

/** Checks variables, redirects and the repository that git would read. */
export function matchSettings(step: PlannedStep, given: PolicyInput, protection: Protection): PolicyMatch[] {
  if (given.lenient) return []
  return [
    ...matchAssignments(step, given, protection.command),
    ...matchRedirects(step, given),
    ...matchRepository(step, given, protection),
  ]
}

/** @param onlyReads by the safe list, which knows nothing of what earlier lines of a session left */
function matchAssignments(
  { command }: PlannedStep,
  { rules, request: { state = [] } }: PolicyInput,
  onlyReads: boolean,
): PolicyMatch[] {
  const bare = command.words.length === 0
  const reads = knownValue(command.words[0]) === 'read'
  const isLeft = (name: string) => state.includes(name)
  const startsNone = bare || isBuiltIn(command)
  const bad = command.assignments.filter(
    ({ name, value }) =>
      !(reads && name === 'IFS') &&
      (isDangerousVariable(name) ||
        (bare || isLeft(name) ? changesReading(name) : false) ||
        (!bare && mayNamePlace(name)) ||
        (isLeft(name) && onlyReads && !startsNone)) &&
      !isHarmlessSetting(name, knownValue(value)),
  )
  return bad.map(({ name }) => {
    const why = isLeft(name) ? explainState(name) : explainAssignment(name)
    return policyMatch(command.text, 'assignment', `preset ${rules.preset}`, 'ask', why)
  })
}

function matchRedirects({ command }: PlannedStep, { rules }: PolicyInput): PolicyMatch[] {
  const bad = command.redirects.filter((redirect) => !isHarmless(redirect))
  return bad.map(({ text, operator }) =>
    policyMatch(command.text, 'redirect', `preset ${rules.preset}`, 'ask', explainRedirect(text, operator)),
  )
}

/** /dev/null, descriptors, here-documents, input from a named file: bash connects to /dev/tcp/HOST/PORT. */
function isHarmless({ operator, target }: Redirect): boolean {
  if (!target) return operator === '<<' || operator === '<<-'
  if (operator === '<') return target.kind === 'literal' || target.kind === 'tilde'
  return onlySilences({ operator, target })
}

export function onlySilences({ operator, target }: Pick<Redirect, 'operator' | 'target'>): boolean {
  if (target?.kind !== 'literal') return false
  if (operator === '>&' || operator === '<&') return /^(?:\d|-)$/.test(target.value)
  return target.value === '/dev/null' && ['>', '>>', '>|'].includes(operator)
}

function askAboutRepository({ command }: PlannedStep, why: string): PolicyMatch[] {
  return [policyMatch(command.text, 'repository configuration', 'hostile repositories', 'ask', why)]
}

/**
 * Safe git commands run programs that the configuration names where the environment cannot override it. Read
 * mode confines them; write mode asks, whatever else allows the command.
 */
export function matchReadOnlyGit(step: PlannedStep, { request, rules, facts }: PolicyInput): PolicyMatch[] {
  if (request.mode !== 'write' || !Array.isArray(step.repositories)) return []
  for (const directory of step.repositories) {
    const config = facts.repositories.get(directory)
    if (config?.kind === 'unreadable')
      return askAboutRepository(step, explainRepositoryUnreadable(config.path, config.why))
    if (config?.kind !== 'read') continue
    const [entry] = entriesActedOn(withoutAllowed(config.entries, rules))
    if (entry) return askAboutRepository(step, explainRepositoryProgram(entry.key, entry.file))
  }
  return []
}

/** Leaves out the entries whose command a rule of the user allows. */
function withoutAllowed(entries: readonly FoundEntry[], { own }: RuleSet): readonly FoundEntry[] {
  const allows = own.filter(({ verdict }) => verdict === 'allow')
  return entries.filter(({ key, value }) => !(namesCommand(key) && isAllowed(value, allows)))
}

function isAllowed(line: string, allows: readonly Rule[]): boolean {
  const { steps, unsure } = expand(parseLine(line))
  return (
    steps.length > 0 &&
    unsure.length === 0 &&
    steps.every(
      ({ command }) =>
        command.redirects.length === 0 &&
        command.assignments.length === 0 &&
        allows.some((rule) => applyRule(rule, command)?.verdict === 'allow'),
    )
  )
}

/**
 * Programs named in repository configuration: read and workspace mode confine them; write mode asks even if a rule allows
 * the command. `matchReadOnlyGit` asks for commands of the safe list.
 */
function matchRepository(step: PlannedStep, given: PolicyInput, protection: Protection): PolicyMatch[] {
  const { command, repositories } = step
  if (repositories === undefined || given.request.mode !== 'write') return []
  const ask = (why: string) => askAboutRepository(step, why)
  if (repositories === 'unknown') return ask(explainRepositoryUnknown)
  for (const directory of repositories) {
    const config = given.facts.repositories.get(directory)
    if (!config) return ask(explainRepositoryUnknown)
    if (config.kind === 'none') continue
    if (config.kind === 'unreadable') {
      if (protection.command) continue
      return ask(explainRepositoryUnreadable(config.path, config.why))
    }
    const entries = withoutAllowed(config.entries, given.rules)
    const asked = new Set(protection.command ? entriesActedOn(entries) : [])
    const rest = entries.filter((entry) => !asked.has(entry))
    const entry = dangerousEntry(rest, protection.line)
    if (entry) return ask(explainRepositoryKey(entry.key, entry.file))
    const hook = protection.line ? undefined : hookThatRuns(command, config.hooks, given, protection)
    if (hook !== undefined) return ask(explainHook(hook))
  }
  return []
}

/** The first hook that would run. The user's `allow` rules exempt hooks by absolute path or directory. */
function hookThatRuns(
  command: SimpleCommand,
  hooks: readonly string[],
  { rules }: PolicyInput,
  protection: Protection,
): string | undefined {
  const allowed = rules.own.flatMap(({ verdict, prefix: [path = ''], prefix }) =>
    verdict === 'allow' && prefix.length === 1 && path.startsWith('/') ? [path] : [],
  )
  const rest = hooks.filter((hook) => !allowed.some((path) => isBeneath(hook, path)))
  return hookOf(rest, knownValue(programOf(command)?.words[1]), protection.command)
}
