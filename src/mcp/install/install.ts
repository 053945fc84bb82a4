import { copyFileSync, readFileSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { makeDirectories } from '../../base/directories.ts'
import { errorCode, errorText } from '../../base/errno.ts'
import { realPath } from '../../base/paths.ts'
import { replaceFile } from '../../base/replace-file.ts'
import { parseToml } from '../../internal.ts'
import { noObjectAt, noObjectInFile, notEditable } from '../../messages/mcp/install.ts'
import type { Client } from './clients.ts'
import { parseJsonc, withEntry } from './json-edit.ts'
import { tableText, withTable } from './toml-edit.ts'

export const serverName = 'vitrine'

export type Installed =
  | { readonly kind: 'written'; readonly file: string; readonly backup?: string }
  | { readonly kind: 'unchanged'; readonly file: string }
  | { readonly kind: 'failed'; readonly file: string; readonly reason: string }

export function entryText({ format, servers, entry }: Client): string {
  if (format === 'toml') return tableText(servers, serverName, entry)
  return `${JSON.stringify({ [servers]: { [serverName]: entry } }, null, 2)}\n`
}

/** Writes the entry into the client's file. Keeps everything else, and a backup of the previous file. */
export async function installEntry(client: Client): Promise<Installed> {
  // A symbolic link, as dotfile managers use them, stays one.
  const file = realPath(client.file) ?? client.file
  try {
    const before = readText(file)
    const after = await edited(client, before ?? '')
    if (after === before) return { kind: 'unchanged', file }
    const backup = before === undefined ? undefined : backUp(file)
    replace(file, after)
    return { kind: 'written', file, ...(backup !== undefined && { backup }) }
  } catch (error) {
    return { kind: 'failed', file, reason: errorText(error) }
  }
}

/** The file's new text. Throws unless it differs from the old one by the entry alone. */
async function edited({ file, format, servers, entry }: Client, before: string): Promise<string> {
  const parse = async (text: string) => (format === 'json' ? parseJsonc(text) : parseToml({ file, text }))
  const known = await parse(before)
  const { wanted, whole } = merged(known, servers, entry)
  if (isDeepStrictEqual(plain(wanted), plain(known))) return before
  const after =
    format === 'json'
      ? withEntry(before, servers, serverName, whole)
      : await withTable(before, servers, serverName, withoutTables(whole))
  if (!isDeepStrictEqual(plain(await parse(after)), plain(wanted))) throw new Error(notEditable(servers))
  return after
}

/** Keys for servers reached over the network, which this one is not. */
const otherTransports = new Set(['url', 'httpUrl', 'headers', 'http_headers', 'bearer_token_env_var'])

/** The document and the server's entry as they should be: the user's other settings for the server stay. */
function merged(document: unknown, servers: string, entry: Client['entry']) {
  if (!isTable(document)) throw new Error(noObjectInFile)
  const known = document[servers] ?? {}
  if (!isTable(known)) throw new Error(noObjectAt(servers))
  const old = known[serverName]
  const kept = isTable(old) ? Object.entries(old).filter(([key]) => !otherTransports.has(key)) : []
  const whole = { ...Object.fromEntries(kept), ...entry }
  return { whole, wanted: { ...document, [servers]: { ...known, [serverName]: whole } } }
}

/** In TOML nested tables have headers of their own and stay where they are. */
function withoutTables(entry: Client['entry']): Client['entry'] {
  return Object.fromEntries(Object.entries(entry).filter(([, value]) => !isTable(value)))
}

function isTable(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Strips a parser's prototypes and classes. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  }
}

function backUp(file: string): string {
  const backup = `${file}.${new Date().toISOString().replace(/[^0-9TZ]/g, '')}.backup`
  copyFileSync(file, backup)
  return backup
}

/** Keeps the file's mode. */
function replace(file: string, text: string): void {
  makeDirectories(dirname(file), 0o777)
  replaceFile(file, text, (statSync(file, { throwIfNoEntry: false })?.mode ?? 0o600) & 0o777)
}
