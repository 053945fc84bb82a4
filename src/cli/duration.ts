import { VitrineError } from '../internal.ts'
import { wanted } from '../messages/wanted.ts'

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
      wanted: wanted.duration,
      got: JSON.stringify(text),
    },
  })
}
