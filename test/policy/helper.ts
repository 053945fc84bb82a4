import type { Decision, Mode } from '../../src/base/types.ts'
import { decide } from '../../src/policy/decide.ts'
import type { Places } from '../../src/policy/paths.ts'
import { planRequest, type RequestToDecide } from '../../src/policy/plan.ts'
import { buildRules, type PolicySettings, type RuleSet } from '../../src/policy/ruleset.ts'

export const cwd = '/work-of/project'
export const home = '/home/agent'

export const settings: PolicySettings = {
  preset: 'default',
  pipes: false,
  allow: [],
  ask: [],
  deny: [],
  safe: [],
  auto_confirm: false,
  rule: [],
}

/** The rules of a preset, with some settings changed. */
export function rulesOf(changed: Partial<PolicySettings> = {}): RuleSet {
  return buildRules({ ...settings, ...changed })
}

const presets = new Map<PolicySettings['preset'], RuleSet>()

export function presetRules(preset: PolicySettings['preset']): RuleSet {
  const known = presets.get(preset) ?? rulesOf({ preset })
  presets.set(preset, known)
  return known
}

/** A machine without symbolic links. */
const places: Places = { real: new Map(), own: [`${home}/.config/vitrine`, `${cwd}/.vitrine.toml`] }

/** The decision on a machine without surprises. */
export function decideWork(
  work: RequestToDecide['work'],
  rules: RuleSet,
  mode: Mode,
  changed: Partial<RequestToDecide & Places> = {},
): Decision {
  const request = planRequest({ work, mode, cwd, home, ...changed })
  return decide(request, rules, { ...places, ...changed })
}

export function decideLine(
  line: string,
  rules: RuleSet,
  mode: Mode,
  changed: Parameters<typeof decideWork>[3] = {},
): Decision {
  return decideWork({ kind: 'line', line }, rules, mode, changed)
}

/** PolicySettings['preset'] analysis with pipes. */
export const piping = rulesOf({ preset: 'analysis', pipes: true })
