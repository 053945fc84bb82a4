import { VitrineError } from '../internal.ts'

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }

/** The milliseconds of `500`, `500ms`, `30s`, `2m` or `1h`. Throws INVALID_REQUEST otherwise, and for 0. */
export function milliseconds(field: string, text: string): number {
  const [, number, unit = 'ms'] = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text) ?? []
  const value = Number(number) * (unitMs[unit] ?? 1)
  if (value > 0) return value
  throw new VitrineError({
    code: 'INVALID_REQUEST',
    problem: {
      kind: 'out-of-range',
      field,
      wanted: 'a time above 0, such as 30s, 500ms, 2m or a number of milliseconds',
      got: JSON.stringify(text),
    },
  })
}
