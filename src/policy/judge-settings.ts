import {
  explainAssignment,
  explainRedirect,
  explainRepositoryKey,
  explainRepositoryUnknown,
  explainRepositoryUnreadable,
} from '../result/explain-policy.ts'
import type { PolicyMatch } from '../result/result.ts'
import { type Case, row } from './case.ts'
import type { Redirect } from './line.ts'
import type { PlannedStep } from './plan.ts'
import { dangerousKey } from './repositories.ts'
import { changesReading, isDangerousVariable, mayNamePlace } from './variables.ts'

/** What is around the program: variables, redirects, and the repository that git would read. */
export function judgeSettings(step: PlannedStep, given: Case, unprotected: boolean): PolicyMatch[] {
  if (given.lenient) return []
  return [
    ...judgeAssignments(step, given),
    ...judgeRedirects(step, given),
    ...judgeRepository(step, given, unprotected),
  ]
}

function judgeAssignments({ command }: PlannedStep, { rules }: Case): PolicyMatch[] {
  const bare = command.words.length === 0
  const bad = command.assignments.filter(
    ({ name }) => isDangerousVariable(name) || (bare ? changesReading(name) : mayNamePlace(name)),
  )
  return bad.map(({ name }) =>
    row(command.text, 'assignment', `preset ${rules.preset}`, 'ask', explainAssignment(name)),
  )
}

function judgeRedirects({ command }: PlannedStep, { rules }: Case): PolicyMatch[] {
  const bad = command.redirects.filter((redirect) => !isHarmless(redirect))
  return bad.map(({ text }) =>
    row(command.text, 'redirect', `preset ${rules.preset}`, 'ask', explainRedirect(text)),
  )
}

/** To /dev/null, or between descriptors; a here-document has no target. */
function isHarmless({ operator, target }: Redirect): boolean {
  if (!target) return operator === '<<' || operator === '<<-'
  if (target.kind !== 'literal') return false
  if (operator === '>&' || operator === '<&') return /^(?:\d|-)$/.test(target.value)
  return target.value === '/dev/null' && ['>', '>>', '<', '>|'].includes(operator)
}

/** Git runs what a repository's configuration names. Read mode holds it; write mode asks. */
function judgeRepository(
  { command, repositories }: PlannedStep,
  { facts, request }: Case,
  unprotected: boolean,
): PolicyMatch[] {
  if (repositories === undefined || request.mode === 'read') return []
  const ask = (why: string) => [
    row(command.text, 'repository configuration', 'hostile repositories', 'ask', why),
  ]
  if (repositories === 'unknown') return ask(explainRepositoryUnknown())
  for (const directory of repositories) {
    const config = facts.repositories.get(directory)
    if (!config) return ask(explainRepositoryUnknown())
    if (config.kind === 'unreadable') return ask(explainRepositoryUnreadable(config.path, config.why))
    const key = config.kind === 'read' ? dangerousKey(config.entries, unprotected) : undefined
    if (key !== undefined) return ask(explainRepositoryKey(key))
  }
  return []
}
