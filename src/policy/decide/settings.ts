import type { PolicyMatch } from '../../base/types.ts'
import { explainAssignment, explainRedirect } from '../../messages/policy.ts'
import { isBuiltIn } from '../command/program.ts'
import { changesReading, isDangerousVariable, isHarmlessSetting, mayNamePlace } from '../command/variables.ts'
import { knownValue, type Redirect } from '../syntax/line.ts'
import { policyMatch } from './input.ts'
import type { PlannedStep } from './plan.ts'
import type { RuleSet } from './ruleset.ts'

/** Variables in front of a command, and of the line's shell. */
export function matchAssignments({ command }: PlannedStep, rules: RuleSet): PolicyMatch[] {
  if (rules.preset === 'open') return []
  const bare = command.words.length === 0
  const reads = knownValue(command.words[0]) === 'read'
  const verdict = rules.preset === 'analysis' ? 'deny' : 'ask'
  const bad = command.assignments.filter(
    ({ name, value }) =>
      !(reads && name === 'IFS') &&
      (isDangerousVariable(name) ||
        (bare && changesReading(name)) ||
        (!bare && !isBuiltIn(command) && mayNamePlace(name))) &&
      !isHarmlessSetting(name, knownValue(value)),
  )
  return bad.map(({ name }) =>
    policyMatch(command.text, 'assignment', `preset ${rules.preset}`, verdict, explainAssignment(name)),
  )
}

/** What a redirect of the default preset may write, or open. */
export function matchRedirects({ command }: PlannedStep, rules: RuleSet): PolicyMatch[] {
  if (rules.preset !== 'default') return []
  return command.redirects
    .filter((redirect) => !isHarmless(redirect))
    .map(({ text, operator }) =>
      policyMatch(command.text, 'redirect', 'preset default', 'ask', explainRedirect(text, operator)),
    )
}

/** /dev/null, descriptors, here-documents, input from a named file: bash connects to /dev/tcp/HOST/PORT. */
function isHarmless({ operator, target }: Redirect): boolean {
  if (!target) return operator === '<<' || operator === '<<-'
  if (operator === '<') return target.kind === 'literal' || target.kind === 'tilde'
  return onlySilences({ operator, target })
}

/** Output to /dev/null or another descriptor. */
export function onlySilences({ operator, target }: Pick<Redirect, 'operator' | 'target'>): boolean {
  if (target?.kind !== 'literal') return false
  if (operator === '>&' || operator === '<&') return /^(?:\d|-)$/.test(target.value)
  return target.value === '/dev/null' && ['>', '>>', '>|'].includes(operator)
}
