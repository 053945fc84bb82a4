import type { Decision, PolicyMatch } from '../base/types.ts'
import {
  explainAlone,
  explainBackground,
  explainConfirmed,
  explainDisaster,
  explainFeature,
  explainForkBomb,
  explainHeld,
  explainHeldLine,
  explainNothing,
  explainSystemPath,
  explainUnheld,
  explainUnknownPath,
  explainUnsure,
} from '../messages/policy.ts'
import { denyList, disasterOf } from './disasters.ts'
import type { Feature } from './line.ts'
import { changesOwnFiles, type PathUse, type Places, pathUses, placesByText, systemPathOf } from './paths.ts'
import type { PlannedStep, PolicyRequest } from './plan.ts'
import { windowsSystemPath } from './powershell.ts'
import {
  type JudgedStep,
  judged,
  matchAssignments,
  matchRedirects,
  nameIn,
  onlySilences,
  type PolicyInput,
  policyMatch,
  verdictWhenUnsure,
} from './programs.ts'
import { strictest } from './rules.ts'
import type { RuleSet } from './ruleset.ts'
import { changesNothing } from './safe-list.ts'

/** The strictest match gives verdict and reason. Pure: knows the machine by `places` only. */
export function decide(request: PolicyRequest, rules: RuleSet, places: Places): Decision {
  const given: PolicyInput = { request, rules, places }
  const steps = request.steps.map((step) => judged(step, given))
  const isBound = request.mode === 'write' || rules.preset === 'analysis'
  if (!isBound) return heldByMode(steps, given)
  const isHeld =
    steps.every((each) => each.step.isInner || isSafe(each, steps)) &&
    (rules.preset === 'analysis' || (rules.preset === 'default' && !rules.autoConfirm))
  const matches = [
    ...matchLine(given),
    ...(isHeld ? matchUnheld(given) : []),
    ...steps.flatMap((step) => matchStep(step, given, isHeld)),
  ]
  const decision = decisionOf(matches, rules.autoConfirm)
  if (decision.verdict !== 'allow') return decision
  if (!isHeld) return besideOthers(decision, steps, given)
  return request.mode === 'read'
    ? decision
    : { verdict: 'allow', held: true, reason: explainHeldLine(decision.reason), matches }
}

/** By its words, and by those of what it starts. Where a guess is wrong, the operating system holds the line all the same. */
function isSafe({ standing, step }: JudgedStep, all: readonly JudgedStep[]): boolean {
  const isAnySafe = (guesses: readonly number[]) =>
    guesses.some((place) => {
      const guess = all[place]
      return guess !== undefined && isSafe(guess, all)
    })
  return standing === 'safe' && step.starts.every(isAnySafe)
}

/** What is on the safe list, in a line that write mode runs for its other commands: only where nothing could come of it. */
function besideOthers(decision: Decision, steps: readonly JudgedStep[], given: PolicyInput): Decision {
  const { request, rules } = given
  if (request.mode !== 'write' || rules.autoConfirm) return decision
  const alone = steps.filter(({ step: { command, own }, standing }) => {
    return standing === 'safe' && command.words.length > 0 && !changesNothing(command, own)
  })
  const asked = alone.map(({ row }): PolicyMatch => ({ ...row, verdict: 'ask', why: explainAlone(row.rule) }))
  const [first] = asked
  if (!first) return decision
  const others = decision.matches.filter((match) => !alone.some(({ row }) => row === match))
  return { verdict: 'ask', reason: first.why, matches: [...asked, ...others] }
}

/** In read and workspace mode the operating system holds the line: only what the user denies counts. */
function heldByMode(steps: readonly JudgedStep[], given: PolicyInput): Decision {
  const { request } = given
  const reason = explainHeld(request.mode)
  const matches = [
    ...matchUnsure(given),
    ...steps.flatMap(({ step: { command }, strict }) =>
      strict.length > 0
        ? strict
        : [policyMatch(command.text, nameIn(command), `preset ${given.rules.preset}`, 'allow', reason)],
    ),
  ]
  const decision = decisionOf(matches, given.rules.autoConfirm)
  return decision.verdict === 'allow' ? { ...decision, reason } : decision
}

function decisionOf(matches: readonly PolicyMatch[], autoConfirm: boolean): Decision {
  const worst = strictest(matches)
  if (!worst) return { verdict: 'allow', reason: explainNothing, matches }
  if (worst.verdict === 'ask' && autoConfirm)
    return { verdict: 'allow', reason: explainConfirmed(worst.why), matches }
  return { verdict: worst.verdict, reason: worst.why, matches }
}

function matchLine(given: PolicyInput): PolicyMatch[] {
  const { request, rules } = given
  const command = textOf(request)
  const bombs = request.forkBombs.map((name) =>
    policyMatch(command, 'fork bomb', denyList, 'deny', explainForkBomb(name)),
  )
  const source = `preset ${rules.preset}`
  const features = [...request.features]
  const refused =
    rules.preset === 'analysis'
      ? features
          .filter((name) => !isLetThrough(name, given))
          .map((name) => policyMatch(command, name, source, 'deny', explainFeature(name)))
      : features.includes('background') && rules.preset === 'default'
        ? [policyMatch(command, 'background', source, 'ask', explainBackground)]
        : []
  return [...bombs, ...refused, ...matchUnsure(given)]
}

function matchUnsure(given: PolicyInput): PolicyMatch[] {
  const { request, places } = given
  const { unanswered } = places
  const doubts = [
    ...request.unsure,
    ...(unanswered === undefined ? [] : [{ kind: 'unanswered' as const, text: unanswered }]),
  ]
  return doubts.map((doubt) =>
    policyMatch(
      textOf(request),
      `unsure: ${doubt.kind}`,
      'reading the line',
      verdictWhenUnsure(given, doubt.kind),
      explainUnsure(doubt),
    ),
  )
}

/** True if the `pipes` setting permits the feature; each program of a pipe is checked separately. */
function isLetThrough(feature: Feature, { request: { steps }, rules }: PolicyInput): boolean {
  if (!rules.pipes) return false
  if (feature === 'redirect') return steps.every(({ command }) => command.redirects.every(onlySilences))
  return feature === 'pipe'
}

function matchStep(judged: JudgedStep, given: PolicyInput, isHeld: boolean): PolicyMatch[] {
  const { step, strict } = judged
  const uses = pathUses(step, given.request.home)
  const isAnalysis = given.rules.preset === 'analysis'
  return [
    ...matchDisaster(step, uses, given),
    ...matchOwnFiles(
      step,
      isHeld && given.request.canHold !== false ? uses.filter(({ redirect }) => redirect) : uses,
      given,
    ),
    ...strict,
    // The operating system holds what a safe command starts, and what variables make of it.
    ...(isHeld && step.isInner ? [] : [judged.row]),
    ...(isHeld && (step.isInner || !isAnalysis) ? [] : matchAssignments(step, given.rules)),
    ...matchRedirects(step, given.rules),
    ...(isAnalysis ? uses.flatMap((use) => matchSystem(use, step, given)) : []),
  ]
}

/** Under preset `analysis` a line runs nowhere but in read mode. */
function matchUnheld({ request, rules }: PolicyInput): PolicyMatch[] {
  if (request.mode === 'read' || request.canHold !== false) return []
  const verdict = rules.preset === 'analysis' ? 'deny' : 'ask'
  return [policyMatch(textOf(request), 'unheld', `preset ${rules.preset}`, verdict, explainUnheld)]
}

function matchDisaster(
  { command }: PlannedStep,
  uses: readonly PathUse[],
  { request, places }: PolicyInput,
): PolicyMatch[] {
  const named = placesByText(uses, places)
  const disaster = disasterOf(command, request.home, ({ text }) => named.get(text) ?? [])
  return disaster ? [policyMatch(command.text, disaster, denyList, 'deny', explainDisaster(disaster))] : []
}

function matchOwnFiles(step: PlannedStep, uses: readonly PathUse[], { places }: PolicyInput): PolicyMatch[] {
  if (!changesOwnFiles(step, uses, places)) return []
  const why = explainDisaster('changes-own-rules')
  return [policyMatch(step.command.text, 'changes-own-rules', denyList, 'deny', why)]
}

function matchSystem(use: PathUse, { command }: PlannedStep, { request }: PolicyInput): PolicyMatch[] {
  const found =
    request.shell === 'powershell' ? windowsSystemPath(command, use.text, request.cwd) : systemPathOf(use)
  if (found === undefined) return []
  const why = found === 'unknown' ? explainUnknownPath(use.text) : explainSystemPath(use.text, found)
  return [policyMatch(command.text, 'system path', 'preset analysis', 'deny', why)]
}

function textOf({ work }: PolicyRequest): string {
  return work.kind === 'line' ? work.line : work.argv.join(' ')
}
