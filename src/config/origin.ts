import { isDeepStrictEqual } from 'node:util'
import { tried } from '../base/errno.ts'
import { VitrineError } from '../messages/error.ts'
import { faultyFile, isTable, parseToml } from './check.ts'
import { isSymlink, readConfigFile } from './files.ts'
import type { LoadedConfig } from './load.ts'
import type { ConfigKey } from './schema.ts'
import { excerptOf, positionFinder } from './toml.ts'

/** Keys whose value in force comes from project files, with those files. */
export type ProjectSettings = ReadonlyMap<ConfigKey, string>

/** Named in messages about a consequence of such a value. */
export function projectSettings({ sources }: LoadedConfig): ProjectSettings {
  const own = Object.entries(sources).filter(([, { source }]) => source === 'project')
  return new Map(own.map(([key, { where }]) => [key as ConfigKey, where]))
}

type PolicyList = 'allow' | 'ask' | 'deny' | 'safe' | 'rule'

/** Finds an entry of a policy list; the file of highest precedence wins. */
export async function placeOfEntry(loaded: LoadedConfig, key: PolicyList, index: number) {
  const wanted: unknown = loaded.config.policy[key][index]
  for (const { file } of [...loaded.files].reverse()) {
    const place = await placeIn(file, key, wanted)
    if (place) return place
  }
  return undefined
}

async function placeIn(file: string, key: PolicyList, wanted: unknown) {
  const text = readConfigFile(file)
  if (text === undefined) return undefined
  const { policy } = await parseToml({ file, text })
  const entries = isTable(policy) ? policy[key] : undefined
  const at = Array.isArray(entries) ? entries.findIndex((entry) => isPartOf(entry, wanted)) : -1
  const place = at < 0 ? undefined : (await positionFinder(text))(['policy', key, at], 'value')
  return place && { file, line: place.line, column: place.column, excerpt: excerptOf(text, place) }
}

/** The loaded table has defaults that the table in the file lacks. */
function isPartOf(entry: unknown, wanted: unknown): boolean {
  const whole = isTable(entry) && isTable(wanted) ? { ...wanted, ...entry } : entry
  return isDeepStrictEqual(whole, wanted)
}

/** The value of a key cannot be used here. */
export async function badSetting(
  { sources }: Pick<LoadedConfig, 'sources'>,
  key: ConfigKey,
  wanted: string,
  got: string,
): Promise<VitrineError> {
  const { source, where: file } = sources[key]
  const problem = { kind: 'bad-value', wanted, got } as const
  const isFile = source === 'user' || source === 'project'
  // `where` can name several files, which add to one list: then the value has no single place.
  const text = isFile ? tried(() => readConfigFile(file)) : undefined
  if (text === undefined) return new VitrineError({ code: 'CONFIG_INVALID', file, key, problem })
  const isLink = source === 'project' && isSymlink(file)
  return faultyFile({ file, text, isLink }, { path: key.split('.'), problem })
}

const limitsOfContainer = '0, because [docker] memory limits the container'

/** Keys that a container cannot honour, with a description of the value wanted. */
const notInContainer: Partial<Record<ConfigKey, string>> = {
  'shell.unreadable': '[], because a container has the whole workspace and nothing else of this machine',
  'limits.memory_bytes': limitsOfContainer,
  'limits.cpu_seconds': limitsOfContainer,
  'limits.processes': limitsOfContainer,
  'limits.open_files': limitsOfContainer,
}

/** Throws CONFIG_INVALID for a value that the backend does not support, instead of ignoring it. */
export async function checkBackend(loaded: LoadedConfig): Promise<void> {
  if (loaded.config.shell.backend !== 'docker') return
  for (const [key, wanted] of Object.entries(notInContainer) as [ConfigKey, string][]) {
    const { value } = loaded.sources[key]
    if (value === 0 || (Array.isArray(value) && value.length === 0)) continue
    throw await badSetting(loaded, key, wanted, JSON.stringify(value))
  }
}
