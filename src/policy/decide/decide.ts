import { posix } from 'node:path'
import type { Decision, PolicyMatch } from '../../base/types.ts'
import type { Facts } from '../../facts/facts.ts'
import {
  explainBackground,
  explainConfirmed,
  explainDisaster,
  explainFeature,
  explainForkBomb,
  explainHeld,
  explainNothing,
  explainUnsure,
} from '../../messages/policy.ts'
import type { GitCare } from '../../request/environment.ts'
import { disasterOf } from '../presets/deny.ts'
import { once } from '../presets/once.ts'
import { builtIn } from '../presets/safe.ts'
import { strictest } from '../rules/verdict.ts'
import type { Feature, Unsure } from '../syntax/line.ts'
import { denyList, type PolicyInput, policyMatch, verdictWhenUnsure } from './input.ts'
import { matchDirectory, matchFiles } from './match-files.ts'
import { matchProgram } from './match-program.ts'
import { matchReadOnlyGit, matchSettings, onlySilences } from './match-settings.ts'
import type { PathUse } from './paths.ts'
import { type PlannedStep, type PolicyRequest, withSafeGlobs } from './plan.ts'
import type { RuleSet } from './ruleset.ts'

/** The strictest match gives verdict and reason. Pure: knows the machine by `facts` only. */
export function decide(request: PolicyRequest, rules: RuleSet, facts: Facts): Decision {
  return decideRequest(request, rules, facts).decision
}

export interface PolicyDecision {
  readonly decision: Decision
  readonly gitCare: GitCare
  /** The question is one that neither `auto_confirm` nor `unattended` answers. */
  readonly needsApprover: boolean
}

export function decideRequest(request: PolicyRequest, rules: RuleSet, facts: Facts): PolicyDecision {
  const lenient = rules.preset === 'open' || (request.mode !== 'write' && rules.preset === 'default')
  const given: PolicyInput = { request, rules, facts, lenient }
  const steps = request.steps.map((step): MatchedStep => {
    const settledStep = withSafeGlobs(step, facts)
    const programs = matchProgram(settledStep, given)
    return { step: settledStep, programs, onlyReads: programs.every(({ source }) => source === builtIn) }
  })
  const onlyReads =
    steps.length > 0 && request.unsure.length === 0 && steps.every(({ onlyReads }) => onlyReads)
  // These come first, because the first of the strictest matches gives the reason.
  const firm = steps.flatMap(({ step, onlyReads }) => (onlyReads ? matchReadOnlyGit(step, given) : []))
  const matches = [
    ...firm,
    ...matchLine(given),
    ...matchDirectory(given),
    ...steps.flatMap((step) => matchStep(step, given, onlyReads)),
  ]
  const needsApprover = firm.length > 0
  const decision = decisionOf(matches, rules.autoConfirm && !needsApprover)
  // Admission gives the same reason for lines that it admits without these rules.
  const isHeld = request.mode !== 'write' && lenient && decision.verdict === 'allow'
  return {
    decision: isHeld ? { ...decision, reason: explainHeld(request.mode) } : decision,
    gitCare: onlyReads ? 'line' : careOf(steps, request),
    needsApprover,
  }
}

/** A line that could not be read for certain may hold such a git command. */
function careOf(steps: readonly MatchedStep[], { unsure }: PolicyRequest): GitCare {
  const someRead = steps.some(({ step, onlyReads }) => onlyReads && step.repositories !== undefined)
  return someRead || unsure.length > 0 ? 'steps' : 'none'
}

function decisionOf(matches: readonly PolicyMatch[], autoConfirm: boolean): Decision {
  const worst = strictest(matches)
  if (!worst) return { verdict: 'allow', reason: explainNothing, matches }
  if (worst.verdict === 'ask' && autoConfirm)
    return { verdict: 'allow', reason: explainConfirmed(worst.why), matches }
  return { verdict: worst.verdict, reason: worst.why, matches }
}

function matchLine(given: PolicyInput): PolicyMatch[] {
  const { request, rules, facts, lenient } = given
  const command = textOf(request)
  const bombs = request.forkBombs.map((name) =>
    policyMatch(command, 'fork bomb', denyList, 'deny', explainForkBomb(name)),
  )
  const doubts = [...request.unsure, ...facts.unanswered.slice(0, 1).map(unanswered)]
  const unsure = doubts.map((doubt) =>
    policyMatch(
      command,
      `unsure: ${doubt.kind}`,
      'reading the line',
      verdictWhenUnsure(given, doubt.kind),
      explainUnsure(doubt),
    ),
  )
  const features = [...request.features]
  if (rules.preset === 'analysis') {
    const refused = features
      .filter((name) => !isLetThrough(name, given))
      .map((name) => policyMatch(command, name, 'preset analysis', 'deny', explainFeature(name)))
    return [...bombs, ...refused, ...unsure]
  }
  const background = features.includes('background') && !lenient
  return [
    ...bombs,
    ...unsure,
    ...(background
      ? [policyMatch(command, 'background', `preset ${rules.preset}`, 'ask', explainBackground)]
      : []),
  ]
}

/** True if the `pipes` setting permits the feature; each program of a pipe is checked separately. */
function isLetThrough(feature: Feature, { request: { steps }, rules }: PolicyInput): boolean {
  if (!rules.pipes) return false
  if (feature === 'redirect') return steps.every(({ command }) => command.redirects.every(onlySilences))
  return feature === 'pipe'
}

/** One unanswered path makes the whole line unsure. */
function unanswered(path: string): Unsure {
  return { kind: 'unanswered', text: path }
}

function textOf({ work }: PolicyRequest): string {
  return work.kind === 'line' ? work.line : work.argv.join(' ')
}

interface MatchedStep {
  readonly step: PlannedStep
  readonly programs: readonly PolicyMatch[]
  readonly onlyReads: boolean
}

function matchStep(
  { step, programs, onlyReads }: MatchedStep,
  given: PolicyInput,
  lineOnlyReads: boolean,
): PolicyMatch[] {
  return [
    ...matchDisaster(step, given),
    ...programs,
    ...matchSettings(step, given, { line: lineOnlyReads, command: onlyReads }),
    ...matchFiles(step, given, onlyReads),
  ]
}

function matchDisaster({ command, paths }: PlannedStep, { request, facts }: PolicyInput): PolicyMatch[] {
  const named = once(() => pathsByText(paths, facts))
  const disaster = disasterOf(command, request.home, ({ text }) => named().get(text) ?? [])
  return disaster ? [policyMatch(command.text, disaster, denyList, 'deny', explainDisaster(disaster))] : []
}

/** Where words lead, by their text: as written, and behind links. */
function pathsByText(uses: readonly PathUse[], facts: Facts): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, Set<string>>()
  for (const { text, paths, globs } of uses) {
    const known = found.get(text) ?? new Set()
    found.set(text, known)
    for (const path of paths) known.add(path).add(facts.realPaths.get(path) ?? path)
    for (const glob of globs) known.add(glob).add(realGlob(glob, facts))
  }
  return new Map([...found].map(([text, known]) => [text, [...known]]))
}

/** The pattern in the real directory in which the shell looks for it. */
function realGlob(glob: string, facts: Facts): string {
  const parts = posix.normalize(glob).split('/')
  const open = parts.findIndex((part) => /[*?[\\]/.test(part))
  const found = facts.globs.get(glob)
  return found && open !== -1 ? posix.join(found.directory, ...parts.slice(open)) : parts.join('/')
}
