import { isDeepStrictEqual } from 'node:util'
import { isTable } from './check.ts'
import { readConfigFile } from './files.ts'
import { type LoadedConfig, parseToml } from './load.ts'
import { excerptOf, positionFinder } from './locate.ts'

export interface EntryPlace {
  readonly file: string
  readonly line: number
  readonly column: number
  readonly excerpt: string
}

type PolicyList = 'allow' | 'ask' | 'deny' | 'safe' | 'rule'

/** Finds an entry of a policy list; the file of highest precedence wins. */
export async function placeOfEntry(
  loaded: LoadedConfig,
  key: PolicyList,
  index: number,
): Promise<EntryPlace | undefined> {
  const wanted: unknown = loaded.config.policy[key][index]
  for (const { file } of [...loaded.files].reverse()) {
    const place = await placeIn(file, key, wanted)
    if (place) return place
  }
  return undefined
}

async function placeIn(file: string, key: PolicyList, wanted: unknown): Promise<EntryPlace | undefined> {
  const text = readConfigFile(file)
  if (text === undefined) return undefined
  const at = entriesOf(await parseToml({ file, text }), key).findIndex((entry) => isPartOf(entry, wanted))
  const place = at < 0 ? undefined : (await positionFinder(text))(['policy', key, at], 'value')
  return place && { file, line: place.line, column: place.column, excerpt: excerptOf(text, place) }
}

function entriesOf(document: Readonly<Record<string, unknown>>, key: PolicyList): readonly unknown[] {
  const { policy } = document
  const entries: unknown = isTable(policy) ? policy[key] : undefined
  return Array.isArray(entries) ? entries : []
}

/** The loaded table has defaults that the table in the file lacks. */
function isPartOf(entry: unknown, wanted: unknown): boolean {
  if (!isTable(entry) || !isTable(wanted)) return isDeepStrictEqual(entry, wanted)
  return Object.entries(entry).every(([name, value]) => isDeepStrictEqual(value, wanted[name]))
}
