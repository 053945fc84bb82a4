import type { Decision, PolicyMatch } from '../../base/types.ts'
import type { Facts } from '../../facts/facts.ts'
import {
  explainBackground,
  explainConfirmed,
  explainDisaster,
  explainFeature,
  explainForkBomb,
  explainNothing,
  explainUnsure,
} from '../../messages/policy.ts'
import { disasterOf } from '../presets/deny.ts'
import { builtIn } from '../presets/safe.ts'
import { strictest } from '../rules/verdict.ts'
import type { Feature, Unsure } from '../syntax/line.ts'
import { type Case, denyList, row, verdictWhenUnsure } from './case.ts'
import { judgeDirectory, judgeFiles } from './judge-files.ts'
import { judgeProgram } from './judge-program.ts'
import { judgeSettings, onlySilences } from './judge-settings.ts'
import { type PlannedStep, type PolicyRequest, settled } from './plan.ts'
import type { RuleSet } from './ruleset.ts'

/**
 * Decides about a request; the strictest match gives verdict and reason. Pure: all knowledge of the machine
 * is in `facts`.
 */
export function decide(request: PolicyRequest, rules: RuleSet, facts: Facts): Decision {
  return judge(request, rules, facts).decision
}

/** A decision. `onlyLooks`: every program is on the safe list, whatever else is asked. */
export interface Judged {
  readonly decision: Decision
  readonly onlyLooks: boolean
}

export function judge(request: PolicyRequest, rules: RuleSet, facts: Facts): Judged {
  const lenient = rules.preset === 'open' || (request.mode === 'read' && rules.preset === 'default')
  const given: Case = { request, rules, facts, lenient }
  const steps = request.steps.map((step): JudgedStep => {
    const settledStep = settled(step, facts)
    const programs = judgeProgram(settledStep, given)
    return { step: settledStep, programs, looks: programs.every(({ source }) => source === builtIn) }
  })
  const onlyLooks = steps.length > 0 && request.unsure.length === 0 && steps.every(({ looks }) => looks)
  const matches = [
    ...judgeLine(given),
    ...judgeDirectory(given),
    ...steps.flatMap((step) => judgeStep(step, given, onlyLooks)),
  ]
  return { decision: decisionOf(matches, rules), onlyLooks }
}

function decisionOf(matches: readonly PolicyMatch[], rules: RuleSet): Decision {
  const worst = strictest(matches)
  if (!worst) return { verdict: 'allow', reason: explainNothing(), matches }
  if (worst.verdict === 'ask' && rules.autoConfirm)
    return { verdict: 'allow', reason: explainConfirmed(worst.why), matches }
  return { verdict: worst.verdict, reason: worst.why, matches }
}

function judgeLine(given: Case): PolicyMatch[] {
  const { request, rules, facts, lenient } = given
  const command = textOf(request)
  const bombs = request.forkBombs.map((name) =>
    row(command, 'fork bomb', denyList, 'deny', explainForkBomb(name)),
  )
  const doubts = [...request.unsure, ...facts.unanswered.slice(0, 1).map(unanswered)]
  const unsure = doubts.map((doubt) =>
    row(
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
      .map((name) => row(command, name, 'preset analysis', 'deny', explainFeature(name)))
    return [...bombs, ...refused, ...unsure]
  }
  const background = features.includes('background') && !lenient
  return [
    ...bombs,
    ...unsure,
    ...(background ? [row(command, 'background', `preset ${rules.preset}`, 'ask', explainBackground())] : []),
  ]
}

/** True if the `pipes` setting permits the feature; each program of a pipe is checked separately. */
function isLetThrough(feature: Feature, { request: { steps }, rules }: Case): boolean {
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

interface JudgedStep {
  readonly step: PlannedStep
  readonly programs: readonly PolicyMatch[]
  readonly looks: boolean
}

function judgeStep({ step, programs, looks }: JudgedStep, given: Case, onlyLooks: boolean): PolicyMatch[] {
  return [
    ...judgeDisaster(step, given),
    ...programs,
    ...judgeSettings(step, given, { line: onlyLooks, command: looks }),
    ...judgeFiles(step, given, looks),
  ]
}

function judgeDisaster({ command, paths }: PlannedStep, { request, facts }: Case): PolicyMatch[] {
  const disaster = disasterOf(command, request.home, (word) => {
    const written = paths
      .filter(({ text }) => text === word.text)
      .flatMap((use) => [...use.paths, ...use.globs])
    return written.flatMap((path) => [path, facts.realPaths.get(path) ?? path])
  })
  return disaster ? [row(command.text, disaster, denyList, 'deny', explainDisaster(disaster))] : []
}
