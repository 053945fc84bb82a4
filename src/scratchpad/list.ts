import { lstatSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as v from 'valibot'
import { errorCode, succeeds, tried } from '../base/errno.ts'
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
function metadataPath(directory: string, name: string): string {
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

/** How long and how much to keep: the `[scratchpad]` section of the configuration. */
export interface RetentionLimits {
  /** 0: no limit. */
  readonly maxAgeDays: number
  /** 0: no limit. */
  readonly maxBytes: number
}

const dayMs = 86_400_000

/** Of the sessions that are not in use, selects those past their age, then the oldest until the rest fits. */
export function sessionsToRemove(
  sessions: readonly ScratchpadSession[],
  keep: RetentionLimits,
  nowMs: number,
): ScratchpadSession[] {
  const { maxAgeDays, maxBytes } = keep
  const old = (session: ScratchpadSession) => !session.inUse && isOld(session, maxAgeDays, nowMs)
  const removed = sessions.filter(old)
  const rest = sessions.filter((session) => !old(session))
  let total = bytesOf(rest)
  for (const session of rest.filter(({ inUse }) => !inUse)) {
    if (maxBytes === 0 || total <= maxBytes) break
    removed.push(session)
    total -= session.bytes
  }
  return removed
}

function isOld({ changedMs }: { readonly changedMs: number }, maxAgeDays: number, nowMs: number): boolean {
  return maxAgeDays > 0 && nowMs - changedMs > maxAgeDays * dayMs
}

/**
 * Selects what commands left that did not end by themselves: past its age, then the oldest until the rest fits. Other outputs of
 * a session stay as long as it lasts.
 */
function entriesToRemove(
  { entries, bytes }: ScratchpadSession,
  { maxAgeDays, maxBytes }: RetentionLimits,
  othersBytes: number,
): ScratchpadEntry[] {
  let total = othersBytes + bytes
  return entries.filter((entry) => {
    const wasStopped = entry.metadata !== undefined && entry.metadata.outcome !== 'exited'
    const isTooMuch = maxBytes > 0 && total > maxBytes
    if (!wasStopped || !(isTooMuch || isOld(entry, maxAgeDays, Date.now()))) return false
    total -= entry.bytes
    return true
  })
}

/** Other sessions, then what stopped commands left in `own`. Returns the names that are gone from it. */
export function pruneSessions(root: string, keep: RetentionLimits, own: string): string[] {
  const sessions = listSessions([root])
  const others = sessions.filter(({ session }) => session !== own)
  const removed = sessionsToRemove(others, keep, Date.now())
  for (const session of removed) removeSession(session)
  const othersBytes = bytesOf(others) - bytesOf(removed)
  const ours = sessions.find(({ session }) => session === own)
  if (!ours) return []
  const gone = entriesToRemove(ours, keep, othersBytes)
  for (const entry of gone) removeEntry(ours.directory, entry)
  return gone.map(({ name }) => name)
}

function bytesOf(sessions: readonly ScratchpadSession[]): number {
  return sessions.reduce((sum, { bytes }) => sum + bytes, 0)
}

function removeEntry(directory: string, { name, path }: ScratchpadEntry): void {
  for (const file of [path, metadataPath(directory, name)]) succeeds(() => rmSync(file, { force: true }))
}

export function clearSessions(roots: readonly string[]): {
  removed: ScratchpadSession[]
  kept: ScratchpadSession[]
} {
  const sessions = listSessions(roots)
  const removed = sessions.filter((session) => !session.inUse && removeSession(session))
  return { removed, kept: sessions.filter((session) => !removed.includes(session)) }
}

/** Another process may be removing it too. No command fails for EACCES, EBUSY or ENOTEMPTY: the next pruning retries. */
function removeSession({ directory }: ScratchpadSession): boolean {
  return succeeds(() => rmSync(directory, { recursive: true, force: true }))
}
