import { isDeepStrictEqual } from 'node:util'

/**
 * Inserts or replaces the table `[parent.name]` in a TOML text and keeps every other byte. TOML has other
 * ways to write a table, so the caller must parse the result and check its meaning.
 */
export async function withTable(
  text: string,
  parent: string,
  name: string,
  entry: Readonly<Record<string, unknown>>,
): Promise<string> {
  const table = tableText(parent, name, entry)
  const [start, end] = (await tableRange(text, [parent, name])) ?? []
  if (start !== undefined) return `${text.slice(0, start)}${table.trimEnd()}${text.slice(end)}`
  if (text.trim() === '') return table
  return `${text}${text.endsWith('\n') ? '' : '\n'}\n${table}`
}

export function tableText(parent: string, name: string, entry: Readonly<Record<string, unknown>>): string {
  // JSON strings, numbers and lists of strings are valid TOML.
  const lines = Object.entries(entry).map(([key, value]) => `${key} = ${JSON.stringify(value)}`)
  return `[${parent}.${name}]\n${lines.join('\n')}\n`
}

/** From the table's header to the end of its last value. */
async function tableRange(
  text: string,
  key: readonly string[],
): Promise<readonly [number, number] | undefined> {
  const { parseTOML } = await import('toml-eslint-parser')
  const parts = parseTOML(text).body[0].body
  return parts.find((part) => part.type === 'TOMLTable' && isDeepStrictEqual(part.resolvedKey, key))?.range
}
