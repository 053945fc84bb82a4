import type { Decision, PolicyMatch } from '../base/types.ts'
import { sessionRule } from '../messages/approval.ts'
import { disasters, explainHeld, explainUnheld, shown } from '../messages/policy.ts'
import { denyList, disasterOf } from './disasters.ts'
import type { Doubt, Feature } from './line.ts'
import { changesOwnFiles, type PathUse, type Places, pathUses, placesOf, systemPathOf } from './paths.ts'
import type { PolicyRequest } from './plan.ts'
import { windowsSystemPath } from './powershell.ts'
import {
  type JudgedStep,
  judged,
  matchAssignments,
  matchRedirects,
  nameIn,
  onlySilences,
  type PolicyInput,
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
    ...appliedRows(request),
    ...matchLine(given),
    ...(isHeld ? matchUnheld(given) : []),
    ...steps.flatMap((step) => matchStep(step, given, isHeld)),
  ]
  const decision = decisionOf(matches, rules.autoConfirm)
  if (decision.verdict !== 'allow') return decision
  if (!isHeld) return besideOthers(decision, steps, given)
  if (request.mode === 'read') return decision
  const reason = `${decision.reason}; read mode keeps the line from changing anything`
  return { verdict: 'allow', held: true, reason, matches }
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
  const asked = alone.map(({ row }): PolicyMatch => {
    const why = `"${shown(row.rule)}" reads only as far as read mode holds it, and the rest of the line needs write mode`
    return { ...row, verdict: 'ask', why }
  })
  const [first] = asked
  if (!first) return decision
  const others = decision.matches.filter((match) => !alone.some(({ row }) => row === match))
  return { verdict: 'ask', reason: first.why, matches: [...asked, ...others] }
}

/** What the line uses of its session, for those who approve it, and for the log. */
function appliedRows(request: PolicyRequest): PolicyMatch[] {
  const command = textOf(request)
  return request.applied.map((text) => ({
    command,
    rule: sessionRule,
    source: 'the session',
    verdict: 'allow',
    why: text,
  }))
}

/** In read and workspace mode the operating system holds the line: only what the user denies counts. */
function heldByMode(steps: readonly JudgedStep[], given: PolicyInput): Decision {
  const { request, rules } = given
  const why = explainHeld(request.mode)
  const held = { source: `preset ${rules.preset}`, verdict: 'allow', why } as const
  const matches = [
    ...appliedRows(request),
    ...request.doubts.map((doubt) => unsure(doubt, given)),
    ...steps.flatMap(({ step: { command }, strict }) =>
      strict.length > 0 ? strict : [{ command: command.text, rule: nameIn(command), ...held }],
    ),
  ]
  const decision = decisionOf(matches, rules.autoConfirm)
  return decision.verdict === 'allow' ? { ...decision, reason: why } : decision
}

function decisionOf(matches: readonly PolicyMatch[], autoConfirm: boolean): Decision {
  const worst = strictest(matches)
  if (!worst) return { verdict: 'allow', reason: 'the line runs no program', matches }
  if (worst.verdict === 'ask' && autoConfirm)
    return { verdict: 'allow', reason: `confirmed by auto_confirm, although ${worst.why}`, matches }
  return { verdict: worst.verdict, reason: worst.why, matches }
}

/** What is said about the line as a whole. */
function matchLine(given: PolicyInput): PolicyMatch[] {
  const { request, rules, places } = given
  const command = textOf(request)
  const source = `preset ${rules.preset}`
  const silent = places.unanswered
  const unanswered = 'a file system does not answer, so it is unknown where the paths of the line lead'
  const doubts: readonly Doubt[] =
    silent === undefined
      ? request.doubts
      : [...request.doubts, { why: unanswered, text: silent, unread: true }]
  return [
    ...request.forkBombs.map((name) =>
      denied(command, 'fork bomb', `${disasters['fork bomb']}: ${shown(name)}`),
    ),
    ...[...request.features].flatMap((name): PolicyMatch[] => {
      if (rules.preset === 'analysis' && !isLetThrough(name, given))
        return [{ command, rule: 'one command', source, verdict: 'deny', why: notPlain(name) }]
      if (rules.preset !== 'default' || name !== 'a background command (&)') return []
      return [
        { command, rule: 'background', source, verdict: 'ask', why: `${name} continues after the line` },
      ]
    }),
    ...doubts.map((doubt) => unsure(doubt, given)),
  ]
}

function notPlain(feature: Feature): string {
  const remedy = feature === 'a pipe' ? ', or set [policy] pipes = true' : ''
  return `the analysis preset does not allow ${feature}: run one plain command at a time, without $${remedy}`
}

/** True if the `pipes` setting permits the feature; each program of a pipe is checked separately. */
function isLetThrough(feature: Feature, { request: { steps }, rules }: PolicyInput): boolean {
  if (!rules.pipes) return false
  if (feature === 'a redirect') return steps.every(({ command }) => command.redirects.every(onlySilences))
  return feature === 'a pipe'
}

function unsure({ why, text, unread }: Doubt, given: PolicyInput): PolicyMatch {
  return {
    command: textOf(given.request),
    rule: 'unsure',
    source: 'reading the line',
    verdict: verdictWhenUnsure(given, unread),
    why: text === '' ? why : `${why}: ${shown(text)}`,
  }
}

function denied(command: string, rule: string, why: string): PolicyMatch {
  return { command, rule, source: denyList, verdict: 'deny', why }
}

/** Under preset `analysis` a line runs nowhere but in read mode. */
function matchUnheld({ request, rules }: PolicyInput): PolicyMatch[] {
  if (request.mode === 'read' || request.canHold !== false) return []
  const verdict = rules.preset === 'analysis' ? 'deny' : 'ask'
  const source = `preset ${rules.preset}`
  return [{ command: textOf(request), rule: 'unheld', source, verdict, why: explainUnheld }]
}

function matchStep(judged: JudgedStep, given: PolicyInput, isHeld: boolean): PolicyMatch[] {
  const { step, strict, row } = judged
  const { request, rules, places } = given
  const uses = pathUses(step, request.home)
  const isAnalysis = rules.preset === 'analysis'
  // The operating system holds what a safe command starts, and what variables make of it.
  const isInner = isHeld && step.isInner
  const named = new Map(uses.map((use) => [use.text, placesOf(use, places)]))
  const disaster = disasterOf(step.command, request.home, ({ text }) => named.get(text) ?? [])
  const writes = isHeld && request.canHold !== false ? uses.filter(({ redirect }) => redirect) : uses
  const found = [
    ...(disaster ? [disaster] : []),
    ...(changesOwnFiles(step, writes, places) ? (['changes-own-rules'] as const) : []),
  ]
  return [
    ...found.map((name) => denied(step.command.text, name, disasters[name])),
    ...strict,
    ...(isInner ? [] : [row]),
    ...(isHeld && (isInner || !isAnalysis) ? [] : matchAssignments(step, given)),
    ...matchRedirects(step, given),
    ...(isAnalysis ? uses.flatMap((use) => matchSystem(use, judged, given)) : []),
  ]
}

function matchSystem(
  use: PathUse,
  { step: { command } }: JudgedStep,
  { request }: PolicyInput,
): PolicyMatch[] {
  const found =
    request.shell === 'powershell' ? windowsSystemPath(command, use.text, request.cwd) : systemPathOf(use)
  if (found === undefined) return []
  const why =
    found === 'unknown'
      ? `it is unknown where ${shown(use.text)} leads until the line runs`
      : `${shown(use.text)} leads to a system path (${shown(found)}), which the analysis preset does not read`
  return [{ command: command.text, rule: 'system path', source: 'preset analysis', verdict: 'deny', why }]
}

function textOf({ work }: PolicyRequest): string {
  return work.kind === 'line' ? work.line : work.argv.join(' ')
}
