import { rmSync } from 'node:fs'
import { succeeds } from '../base/errno.ts'
import { listSessions, metadataPath, type ScratchpadEntry, type ScratchpadSession } from './list.ts'

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
