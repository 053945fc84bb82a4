import { VitrineError } from '../errors.ts'
import type { LoadedConfig } from './load.ts'
import { type ConfigKey, keyEntries } from './schema.ts'

/** Keys that this version reads but does not carry out: another value than the default is refused, never ignored. */
const unbuilt: readonly ConfigKey[] = ['shell.backend']

/** Throws CONFIG_INVALID when a value asks for what this version does not do. */
export function refuseUnbuilt({ sources }: LoadedConfig): void {
  for (const key of unbuilt) {
    const fallback = JSON.stringify(keyEntries.get(key)?.fallback)
    const { value, where } = sources[key]
    if (JSON.stringify(value) === fallback) continue
    throw new VitrineError({
      code: 'CONFIG_INVALID',
      file: where,
      key,
      problem: {
        kind: 'bad-value',
        wanted: `${fallback}, for this version does nothing else yet`,
        got: JSON.stringify(value),
      },
    })
  }
}
