import { isDeepStrictEqual } from 'node:util'
import { parseJsonc, tableText, withTable, withValue } from '../../base/edits.ts'
import { errorText } from '../../base/errno.ts'
import { backUp, leadsTo, readText, replace } from '../../base/foreign-file.ts'
import { isTable, plain } from '../../base/table.ts'
import { parseToml } from '../../internal.ts'
import type { Client } from './clients.ts'

const serverName = 'vitrine'

export function entryText({ file, servers, entry }: Client): string {
  if (isToml(file)) return tableText([servers, serverName], entry)
  return `${JSON.stringify({ [servers]: { [serverName]: entry } }, null, 2)}\n`
}

/** Writes the entry into the client's file. Keeps everything else, and a backup of the previous file. Says what it has done. */
export async function installEntry(client: Client): Promise<string> {
  const file = leadsTo(client.file)
  try {
    const before = readText(file)
    const after = await edited(client, before ?? '')
    if (after === before) return `${file}: already has this entry`
    // The client writes this file, too.
    if (readText(file) !== before)
      throw new Error('another program changed it in the meantime; run the command again')
    const copy = before === undefined ? '' : `; the previous version is in ${backUp(file)}`
    replace(file, after)
    return `${file}: written${copy}. Restart the client.`
  } catch (error) {
    throw new Error(
      `${file} is unchanged: ${errorText(error)}. Add the entry by hand; the same command without --write prints it.`,
    )
  }
}

function isToml(file: string): boolean {
  return file.endsWith('.toml')
}

/** The file's new text. Throws unless it differs from the old one by the entry alone. */
async function edited({ file, servers, entry }: Client, before: string): Promise<string> {
  const parse = async (text: string) => (isToml(file) ? parseToml({ file, text }) : parseJsonc(text))
  const known = await parse(before)
  if (!isTable(known)) throw new Error('it does not contain an object')
  const others = known[servers] ?? {}
  if (!isTable(others)) throw new Error(`"${servers}" is not an object`)
  const whole = { ...keptOf(others[serverName]), ...entry }
  const wanted = { ...known, [servers]: { ...others, [serverName]: whole } }
  if (isDeepStrictEqual(plain(wanted), plain(known))) return before
  const after = isToml(file)
    ? await withTable(before, [servers, serverName], entry, Object.keys(whole))
    : withValue(before, [servers, serverName], whole)
  // A parser's complaint would be about our own text, not about the file.
  const got = await parse(after).catch(() => undefined)
  if (!isDeepStrictEqual(plain(got ?? null), plain(wanted)))
    throw new Error(`"${servers}" is written in a way that cannot be edited safely`)
  return after
}

/** Keys for servers reached over the network, which this one is not. */
const otherTransports = new Set([
  ...['url', 'httpUrl', 'headers', 'http_headers', 'env_http_headers', 'type'],
  ...['bearer_token', 'bearer_token_env_var', 'oauth', 'oauth_resource'],
])

/** The user's other settings for the server. */
function keptOf(entry: unknown) {
  const kept = Object.entries(isTable(entry) ? entry : {}).filter(([key]) => !otherTransports.has(key))
  return Object.fromEntries(kept)
}
