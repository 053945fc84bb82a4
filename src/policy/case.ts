import type { PolicyMatch } from '../result/result.ts'
import type { Facts } from './facts.ts'
import type { PolicyRequest } from './plan.ts'
import type { RuleSet } from './ruleset.ts'
import type { Verdict } from './verdict.ts'

/** The source of what is refused under every preset. */
export const denyList = 'built-in deny list'

/** What all judges look at. */
export interface Case {
  readonly request: PolicyRequest
  readonly rules: RuleSet
  readonly facts: Facts
  /** What is not denied runs: read mode, whose sandbox holds it, and preset `open`. */
  readonly lenient: boolean
}

/** What a line that may hold anything comes to. */
export function verdictWhenUnsure({ rules, lenient }: Case): Verdict {
  if (rules.preset === 'analysis') return 'deny'
  if (!lenient) return 'ask'
  return rules.own.some(({ verdict }) => verdict === 'deny') ? 'ask' : 'allow'
}

/** One line of a decision. */
export function row(
  command: string,
  rule: string,
  source: string,
  verdict: Verdict,
  why: string,
): PolicyMatch {
  return { command, rule, source, verdict, why }
}
