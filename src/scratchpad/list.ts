import { lstatSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as v from 'valibot'
import { errorCode, tried } from '../base/errno.ts'
import { modes } from '../base/types.ts'
import { isInUse, isStoredName } from './session.ts'

export interface ScratchpadEntry {
  readonly session: string
  readonly name: string
  readonly path: string
  readonly bytes: number
  readonly changedMs: number
  readonly metadata?: EntryMetadata
}

/** The saved outputs of one session, oldest first. */
export interface ScratchpadSession {
  readonly session: string
  readonly directory: string
  readonly entries: readonly ScratchpadEntry[]
  readonly bytes: number
  /** The last change in milliseconds since the epoch. */
  readonly changedMs: number
  /** Its process runs, or may run. */
  readonly inUse: boolean
}

/** Sessions below the roots, the one changed longest ago first; a missing root has none. */
export function listSessions(roots: readonly string[]): ScratchpadSession[] {
  return roots
    .flatMap(sessionsIn)
    .sort((a, b) => a.changedMs - b.changedMs || (a.session < b.session ? -1 : 1))
}

export function listEntries(directory: string, session: string): ScratchpadEntry[] {
  return entryNamesIn(directory)
    .filter(isStoredName)
    .flatMap((name) => readEntry(directory, session, name))
    .sort((a, b) => a.changedMs - b.changedMs || (a.name < b.name ? -1 : 1))
}

export function findEntry(directory: string, session: string, name: string): ScratchpadEntry | undefined {
  return isStoredName(name) ? readEntry(directory, session, name)[0] : undefined
}

/** The newest entry `NAME`, or the entry `SESSION/NAME`. */
export function findAnywhere(roots: readonly string[], name: string): ScratchpadEntry | undefined {
  const [first = '', inSession] = name.split('/')
  const wanted = inSession ?? first
  const found = listSessions(roots)
    .filter(({ session }) => inSession === undefined || session === first)
    .flatMap(({ entries }) => entries.filter((entry) => entry.name === wanted))
  return found.sort((a, b) => b.changedMs - a.changedMs)[0]
}

function sessionsIn(root: string): ScratchpadSession[] {
  return namesIn(root)
    .filter(isStoredName)
    .flatMap((session) => readSession(root, session))
}

function readSession(root: string, session: string): ScratchpadSession[] {
  const directory = join(root, session)
  const stat = statOf(directory)
  // Symlinks are not followed: their targets are not vitrine's.
  if (!stat?.isDirectory()) return []
  const entries = listEntries(directory, session)
  const changedMs = Math.max(stat.mtimeMs, ...entries.map((entry) => entry.changedMs))
  const bytes = entries.reduce((sum, entry) => sum + entry.bytes, 0)
  return [{ session, directory, entries, bytes, changedMs, inUse: isInUse(session, changedMs) }]
}

function readEntry(directory: string, session: string, name: string): ScratchpadEntry[] {
  const path = join(directory, name)
  const stat = statOf(path)
  if (!stat?.isFile()) return []
  const metadata = readMetadata(directory, name)
  return [
    { session, name, path, bytes: stat.size, changedMs: stat.mtimeMs, ...(metadata ? { metadata } : {}) },
  ]
}

/** Another process may remove a session during the listing, and one may belong to another user, as after `sudo -E`. */
function statOf(path: string) {
  return unlessForbidden(() => lstatSync(path, { throwIfNoEntry: false }))
}

function entryNamesIn(directory: string): string[] {
  return unlessForbidden(() => namesIn(directory)) ?? []
}

function unlessForbidden<T>(look: () => T): T | undefined {
  try {
    return look()
  } catch (error) {
    if (errorCode(error) === 'EACCES') return undefined
    throw error
  }
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory)
  } catch (error) {
    const code = errorCode(error)
    if (code === 'ENOENT' || code === 'ENOTDIR') return []
    throw error
  }
}

const metadata = () =>
  v.object({
    command: v.union([v.string(), v.array(v.string())]),
    cwd: v.string(),
    mode: v.picklist(modes),
    outcome: v.string(),
    exitCode: v.nullable(v.number()),
    signal: v.nullable(v.string()),
    started: v.string(),
    durationMs: v.number(),
    bytes: v.number(),
    binary: v.boolean(),
  })

export type EntryMetadata = Readonly<v.InferOutput<ReturnType<typeof metadata>>>

/** Entry names never begin with a dot, so none collides. */
export function metadataPath(directory: string, name: string): string {
  return join(directory, `.${name}.json`)
}

/** Writes the metadata beside the output, atomically. */
export function writeMetadata(directory: string, name: string, value: EntryMetadata): void {
  const path = metadataPath(directory, name)
  const unfinished = `${path}.new`
  writeFileSync(unfinished, `${JSON.stringify(value)}\n`, { mode: 0o600, flag: 'wx' })
  renameSync(unfinished, path)
}

/** `undefined` if missing or altered. */
function readMetadata(directory: string, name: string): EntryMetadata | undefined {
  return tried(() => v.parse(metadata(), JSON.parse(readFileSync(metadataPath(directory, name), 'utf8'))))
}
