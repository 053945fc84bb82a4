import type { PolicyMatch } from '../../base/types.ts'
import type { Facts } from '../../facts/facts.ts'
import type { Verdict } from '../rules/verdict.ts'
import type { UnsureKind } from '../syntax/line.ts'
import type { PolicyRequest } from './plan.ts'
import type { RuleSet } from './ruleset.ts'

export const denyList = 'built-in deny list'

export interface PolicyInput {
  readonly request: PolicyRequest
  readonly rules: RuleSet
  readonly facts: Facts
  /** Allows what is not denied: preset `open`, or a sandboxed mode of preset `default`. */
  readonly lenient: boolean
}

const unread: ReadonlySet<UnsureKind> = new Set([
  'too-long',
  'too-many-here-documents',
  'too-many-commands',
  'nesting',
  'unanswered',
])

/** For a line that may do anything. In write mode, `ask` even if `lenient`, for what is not known. */
export function verdictWhenUnsure({ rules, lenient, request }: PolicyInput, kind?: UnsureKind): Verdict {
  if (rules.preset === 'analysis') return 'deny'
  if (!lenient || (kind && unread.has(kind) && request.mode === 'write')) return 'ask'
  return rules.own.some(({ verdict }) => verdict === 'deny') ? 'ask' : 'allow'
}

export function policyMatch(
  command: string,
  rule: string,
  source: string,
  verdict: Verdict,
  why: string,
): PolicyMatch {
  return { command, rule, source, verdict, why }
}
