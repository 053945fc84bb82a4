import { isUtf8 } from 'node:buffer'
import { readFileSync, readlinkSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { errorText, tried } from '../../base/errno.ts'
import { makeDirectories, replaceFile, writeNewFile } from '../../base/files.ts'
import { realPath } from '../../base/paths.ts'
import { parseToml } from '../../internal.ts'
import type { Client } from './clients.ts'
import { parseJsonc, tableText, withEntry, withTable } from './edits.ts'

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

/** Where symbolic links lead, even if nothing is there yet. The links themselves, which dotfile managers make, stay. */
function leadsTo(file: string, hops = 40): string {
  const known = realPath(file)
  const link = known === undefined && hops > 0 ? tried(() => readlinkSync(file)) : undefined
  if (link === undefined) return known ?? file
  return leadsTo(resolve(realPath(dirname(file)) ?? dirname(file), link), hops - 1)
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
    : withEntry(before, [servers, serverName], whole)
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

function isTable(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Strips a parser's prototypes and classes. */
function plain(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value))
}

/** Undefined: there is no such file. Throws for bytes that are not UTF-8, because writing the text would change them. */
function readText(file: string): string | undefined {
  const stats = statSync(file, { throwIfNoEntry: false })
  if (!stats) return undefined
  // Reading a FIFO would wait.
  if (!stats.isFile()) throw new Error('it is not a regular file')
  const bytes = readFileSync(file)
  if (!isUtf8(bytes)) throw new Error('it is not text in UTF-8')
  return bytes.toString('utf8')
}

function backUp(file: string): string {
  const backup = `${file}.${new Date().toISOString().replace(/[^0-9TZ]/g, '')}.backup`
  const known = statSync(file)
  writeNewFile(backup, readFileSync(file), known.mode & 0o777, known)
  return backup
}

/** Keeps the file's mode, owner and group as far as it can: a file that sudo gives to root could not be read by its user. */
function replace(file: string, text: string): void {
  makeDirectories(dirname(file), 0o777)
  const known = statSync(file, { throwIfNoEntry: false })
  replaceFile(file, text, (known?.mode ?? 0o600) & 0o777, known)
}
