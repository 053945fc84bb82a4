import { errorReason } from '../base/errno.ts'
import { VitrineError } from '../messages/error.ts'
import { answered, enter } from './lookup.ts'

const reasons: Readonly<Record<string, 'missing' | 'not-a-directory' | 'unanswered'>> = {
  ENOENT: 'missing',
  ENOTDIR: 'not-a-directory',
  ETIMEDOUT: 'unanswered',
  EBUSY: 'unanswered',
}

/** Directories entered before. Commands still run there while too many lookups hang elsewhere. */
const entered = new Set<string>()
const maxEntered = 1000

/** Throws INVALID_REQUEST unless the directory can be entered and its file system answers. */
export async function checkDirectory(path: string): Promise<void> {
  try {
    await answered(() => enter(path))
  } catch (error) {
    const errno = errorReason(error)
    if (errno === 'EBUSY' && entered.has(path)) return
    throw cannotEnter(path, errno)
  }
  if (entered.size >= maxEntered) entered.clear()
  entered.add(path)
}

/** In a directory entered before, the command itself finds out: a lookup costs up to a tenth of a start. */
export async function checkNewDirectory(path: string): Promise<void> {
  if (!entered.has(path)) await checkDirectory(path)
}

/** INVALID_REQUEST for a directory that cannot be entered; `errno` is a name. */
export function cannotEnter(path: string, errno: string): VitrineError {
  const reason = reasons[errno]
  const why = reason ? { reason } : ({ reason: 'unreadable', errno } as const)
  return new VitrineError({ code: 'INVALID_REQUEST', problem: { kind: 'cwd', path, ...why } })
}
