import { rmSync } from 'node:fs'
import { succeeds } from '../base/errno.ts'
import { listSessions, type ScratchpadSession } from './list.ts'

/** How long and how much to keep: the `[scratchpad]` section of the configuration. */
export interface RetentionLimits {
  /** 0: no limit. */
  readonly maxAgeDays: number
  /** 0: no limit. */
  readonly maxBytes: number
}

const dayMs = 86_400_000

/** Selects sessions past their age, then the oldest not in use until the rest fits. */
export function sessionsToRemove(
  sessions: readonly ScratchpadSession[],
  keep: RetentionLimits,
  nowMs: number,
): ScratchpadSession[] {
  const { maxAgeDays, maxBytes } = keep
  const isOld = ({ changedMs }: ScratchpadSession) => maxAgeDays > 0 && nowMs - changedMs > maxAgeDays * dayMs
  const removed = sessions.filter(isOld)
  const rest = sessions.filter((session) => !isOld(session))
  let total = rest.reduce((sum, { bytes }) => sum + bytes, 0)
  for (const session of rest.filter(({ inUse }) => !inUse)) {
    if (maxBytes === 0 || total <= maxBytes) break
    removed.push(session)
    total -= session.bytes
  }
  return removed
}

/** Except `own`. */
export function pruneSessions(root: string, keep: RetentionLimits, own: string): void {
  const others = listSessions([root]).filter(({ session }) => session !== own)
  for (const session of sessionsToRemove(others, keep, Date.now())) removeSession(session)
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
