import { badSetting, type LoadedConfig } from '../config/load.ts'
import { narrowWildcard, suffixWildcard } from '../messages/sandbox/network.ts'
import { type NetworkSetting, patternsOf } from '../network/access.ts'
import { refuseValue } from '../request/fields.ts'

/** Throws INVALID_REQUEST (a given list) or CONFIG_INVALID if a wildcard allows a whole public suffix. */
export async function checkWildcards(given: NetworkSetting | undefined, loaded: LoadedConfig): Promise<void> {
  const wide = await publicSuffixIn(given ?? loaded.config.shell.network)
  if (wide === undefined) return
  const got = suffixWildcard(wide)
  if (given !== undefined) refuseValue('network', narrowWildcard, got)
  throw await badSetting(loaded, 'shell.network', narrowWildcard, got)
}

/** The first entry that is a wildcard over a whole public suffix. */
export async function publicSuffixIn(setting: NetworkSetting): Promise<string | undefined> {
  if (typeof setting === 'boolean') return undefined
  const wildcards = patternsOf(setting).filter(({ wildcard }) => wildcard)
  if (wildcards.length === 0) return undefined
  const { suffixWildcards } = await import('../network/public-suffix.ts')
  const [wide] = await suffixWildcards(wildcards)
  return wide?.text
}
