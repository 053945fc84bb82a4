import type { PolicyMatch } from '../../base/types.ts'
import type { Verdict } from '../rules/verdict.ts'
import type { UnsureKind } from '../syntax/line.ts'
import type { Places } from './own-files.ts'
import type { PolicyRequest } from './plan.ts'
import type { RuleSet } from './ruleset.ts'

export const denyList = 'built-in deny list'

export interface PolicyInput {
  readonly request: PolicyRequest
  readonly rules: RuleSet
  readonly places: Places
  /** Whether PATH has no directory of a project. */
  readonly trustsPath: boolean
}

const unread: ReadonlySet<UnsureKind> = new Set([
  'too-long',
  'too-many-here-documents',
  'too-many-commands',
  'nesting',
  'unanswered',
])

/** For a line that may do anything. In write mode, `ask` even under preset `open`, for what is not known. */
export function verdictWhenUnsure({ rules, request }: PolicyInput, kind?: UnsureKind): Verdict {
  if (rules.preset === 'analysis') return 'deny'
  if (request.mode === 'write' && (rules.preset === 'default' || (kind && unread.has(kind)))) return 'ask'
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
