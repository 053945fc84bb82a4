import type { Decision } from '../../base/types.ts'

export type Verdict = Decision['verdict']

const order: readonly Verdict[] = ['allow', 'ask', 'deny']

export function compareVerdicts(a: Verdict, b: Verdict): number {
  return order.indexOf(a) - order.indexOf(b)
}

export function strictest<T extends { readonly verdict: Verdict }>(rows: readonly T[]): T | undefined {
  return rows.reduce<T | undefined>(
    (worst, row) => (worst && compareVerdicts(row.verdict, worst.verdict) <= 0 ? worst : row),
    undefined,
  )
}
