import type { PolicyMatch } from '../../base/types.ts'
import type { Facts } from '../../facts/facts.ts'
import type { Verdict } from '../rules/verdict.ts'
import type { UnsureKind } from '../syntax/line.ts'
import type { PolicyRequest } from './plan.ts'
import type { RuleSet } from './ruleset.ts'

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

const unread: ReadonlySet<UnsureKind> = new Set([
  'too-long',
  'too-many-here-documents',
  'too-many-commands',
  'nesting',
  'unanswered',
])

/** What a line comes to that may hold anything. One that was not read to its end, or whose paths are not known, is asked about wherever nothing holds it. */
export function verdictWhenUnsure({ rules, lenient, request }: Case, kind?: UnsureKind): Verdict {
  if (rules.preset === 'analysis') return 'deny'
  if (!lenient || (kind && unread.has(kind) && request.mode === 'write')) return 'ask'
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
