import { copyFileSync, readFileSync, realpathSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { makeDirectories } from '../../base/directories.ts'
import { errorCode, errorText } from '../../base/errno.ts'
import { parseToml } from '../../internal.ts'
import type { Client } from './clients.ts'
import { NotJson, parseJsonc, withEntry } from './json-edit.ts'
import { tableText, withTable } from './toml-edit.ts'

export const serverName = 'vitrine'

/** What became of the client's file. */
export type Installed =
  | { readonly kind: 'written'; readonly file: string; readonly backup?: string }
  | { readonly kind: 'unchanged'; readonly file: string }
  | { readonly kind: 'failed'; readonly file: string; readonly reason: string }

/** The entry as it stands in the client's file. */
export function entryText({ format, servers, entry }: Client): string {
  if (format === 'toml') return tableText(servers, serverName, entry)
  return `${JSON.stringify({ [servers]: { [serverName]: entry } }, null, 2)}\n`
}

/** Puts the entry into the client's file. Everything else stays, and a copy of the file as it was. */
export async function installEntry(client: Client): Promise<Installed> {
  const file = realFile(client.file)
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
      : withTable(before, servers, serverName, withoutTables(whole))
  if (!isDeepStrictEqual(plain(await parse(after)), plain(wanted)))
    throw new NotJson(`"${servers}" is written in a way that cannot be edited safely`)
  return after
}

/** How a server is reached over the network: that is not how this one is reached. */
const otherTransports = new Set(['url', 'httpUrl', 'headers', 'http_headers', 'bearer_token_env_var'])

/** What the file should say, and what it should say of the server: whatever else the user set for it stays. */
function merged(document: unknown, servers: string, entry: Client['entry']) {
  if (!isTable(document)) throw new NotJson('it does not hold an object')
  const known = document[servers] ?? {}
  if (!isTable(known)) throw new NotJson(`"${servers}" is no object`)
  const old = known[serverName]
  const kept = isTable(old) ? Object.entries(old).filter(([key]) => !otherTransports.has(key)) : []
  const whole = { ...Object.fromEntries(kept), ...entry }
  return { whole, wanted: { ...document, [servers]: { ...known, [serverName]: whole } } }
}

/** TOML has them under heads of their own, which stay where they are. */
function withoutTables(entry: Client['entry']): Client['entry'] {
  return Object.fromEntries(Object.entries(entry).filter(([, value]) => !isTable(value)))
}

function isTable(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Without the prototypes and classes of a parser, in any order of keys. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}

/** A symlink, as keepers of dotfiles use them, stays one. */
function realFile(file: string): string {
  try {
    return realpathSync(file)
  } catch {
    // ENOENT: the file is made where it should stand.
    return file
  }
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

/** Whole or not at all, with the mode that it had. */
function replace(file: string, text: string): void {
  makeDirectories(dirname(file), 0o777)
  const mode = statSync(file, { throwIfNoEntry: false })?.mode ?? 0o600
  const unfinished = `${file}.${process.pid}.new`
  writeFileSync(unfinished, text, { mode: mode & 0o777, flag: 'wx' })
  renameSync(unfinished, file)
}
