import type { LoadedConfig } from '../config/load.ts'
import { VitrineError } from '../messages/error.ts'
import { narrowWildcard, suffixWildcard } from '../messages/sandbox/network.ts'
import { type NetworkSetting, patternsOf } from '../network/access.ts'
import { suffixWildcards } from '../network/public-suffix.ts'
import { refuseValue } from '../request/fields.ts'

/** Throws INVALID_REQUEST (a given list) or CONFIG_INVALID if a wildcard allows a whole public suffix. */
export async function checkWildcards(
  given: NetworkSetting | undefined,
  { config, sources }: LoadedConfig,
): Promise<void> {
  const setting = given ?? config.shell.network
  const [wide] = typeof setting === 'boolean' ? [] : await suffixWildcards(patternsOf(setting))
  if (wide === undefined) return
  const got = suffixWildcard(wide.text)
  if (given !== undefined) refuseValue('network', narrowWildcard, got)
  throw new VitrineError({
    code: 'CONFIG_INVALID',
    file: sources['shell.network'].where,
    key: 'shell.network',
    problem: { kind: 'bad-value', wanted: narrowWildcard, got },
  })
}
