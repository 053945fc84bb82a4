import { lstatSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import * as v from 'valibot'
import { errorCode, succeeds, tried } from '../base/errno.ts'
import { type Mode, modes } from '../base/types.ts'
import { isInUse, isStoredName } from './session.ts'

/** One saved output. */
export interface ScratchpadEntry {
  /** The session that saved it. */
  readonly session: string
  /** Its name in that session. */
  readonly name: string
  /** The absolute path of its file. */
  readonly path: string
  /** The length of the file in bytes. */
  readonly bytes: number
  /** When the file was last changed, in milliseconds since the epoch. */
  readonly changedMs: number
  /** The command behind it. Absent: it still runs, or its record is gone. */
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
    .flatMap((root) => namesIn(root).flatMap((session) => readSession(root, session)))
    .sort((a, b) => a.changedMs - b.changedMs || (a.session < b.session ? -1 : 1))
}

export function listEntries(directory: string, session: string): ScratchpadEntry[] {
  return namesIn(directory, 'EACCES')
    .flatMap((name) => findEntry(directory, session, name) ?? [])
    .sort((a, b) => a.changedMs - b.changedMs || (a.name < b.name ? -1 : 1))
}

export function findEntry(directory: string, session: string, name: string): ScratchpadEntry | undefined {
  const path = join(directory, name)
  const stat = isStoredName(name) ? statOf(path) : undefined
  if (!stat?.isFile()) return undefined
  // Missing, or altered.
  const metadata = tried(() =>
    v.parse(metadataSchema(), JSON.parse(readFileSync(metadataPath(directory, name), 'utf8'))),
  )
  return { session, name, path, bytes: stat.size, changedMs: stat.mtimeMs, ...(metadata && { metadata }) }
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

function readSession(root: string, session: string): ScratchpadSession[] {
  const directory = join(root, session)
  const stat = statOf(directory)
  // Symlinks are not followed: their targets are not vitrine's.
  if (!stat?.isDirectory()) return []
  const entries = listEntries(directory, session)
  const changedMs = Math.max(stat.mtimeMs, ...entries.map((entry) => entry.changedMs))
  return [
    { session, directory, entries, bytes: bytesOf(entries), changedMs, inUse: isInUse(session, changedMs) },
  ]
}

/** Another process may remove a session during the listing, and one may belong to another user, as after `sudo -E`. */
function statOf(path: string) {
  return tried(() => lstatSync(path, { throwIfNoEntry: false }))
}

function namesIn(directory: string, ...skipped: readonly string[]): string[] {
  try {
    return readdirSync(directory).filter(isStoredName)
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', ...skipped].includes(errorCode(error) ?? '')) return []
    throw error
  }
}

const metadataSchema = (): v.GenericSchema<unknown, EntryMetadata> =>
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

/** The command of a saved output, and how it ended. */
export interface EntryMetadata {
  /** The shell line, or the argv. */
  readonly command: string | readonly string[]
  /** The absolute directory in which it ran. */
  readonly cwd: string
  /** The mode in which it ran. */
  readonly mode: Mode
  /** `kind` of its outcome. */
  readonly outcome: string
  /** Null when a signal ended it. */
  readonly exitCode: number | null
  /** Null when it exited. */
  readonly signal: string | null
  /** When it started, in ISO 8601. */
  readonly started: string
  /** Whole milliseconds from its start to its end. */
  readonly durationMs: number
  /** Bytes written to both streams. */
  readonly bytes: number
  /** True when the first 8 KiB contain a NUL byte. */
  readonly binary: boolean
}

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

/** How long and how much to keep: the `[scratchpad]` section of the configuration. 0: no limit. */
export interface RetentionLimits {
  readonly maxAgeDays: number
  readonly maxBytes: number
}

const dayMs = 86_400_000

/**
 * Removes other sessions that are not in use and, from `own`, what commands left that did not end by themselves: other outputs of a
 * session stay as long as it lasts. Returns the names that are gone from `own`.
 */
export function pruneSessions(root: string, keep: RetentionLimits, own: string): string[] {
  const sessions = listSessions([root])
  const others = sessions.filter(({ session }) => session !== own)
  const unused = others.filter(({ inUse }) => !inUse)
  const removed = toRemove(unused, bytesOf(others), keep, Date.now())
  for (const session of removed) removeSession(session)
  const entries = sessions.find(({ session }) => session === own)?.entries ?? []
  const stopped = entries.filter(({ metadata }) => metadata && metadata.outcome !== 'exited')
  const gone = toRemove(stopped, bytesOf(sessions) - bytesOf(removed), keep, Date.now())
  for (const { path, name } of gone)
    for (const file of [path, metadataPath(dirname(path), name)])
      succeeds(() => rmSync(file, { force: true }))
  return gone.map(({ name }) => name)
}

/** Selects what is past its age, then the oldest, which come first, until the rest of `total` bytes fits. */
export function toRemove<T extends { readonly bytes: number; readonly changedMs: number }>(
  oldestFirst: readonly T[],
  total: number,
  { maxAgeDays, maxBytes }: RetentionLimits,
  nowMs: number,
): T[] {
  let left = total
  return oldestFirst.filter(({ bytes, changedMs }) => {
    const isOld = maxAgeDays > 0 && nowMs - changedMs > maxAgeDays * dayMs
    const isTooMuch = maxBytes > 0 && left > maxBytes
    if (isOld || isTooMuch) left -= bytes
    return isOld || isTooMuch
  })
}

function bytesOf(parts: readonly { readonly bytes: number }[]): number {
  return parts.reduce((sum, { bytes }) => sum + bytes, 0)
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
