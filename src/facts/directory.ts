import { VitrineError } from '../messages/error.ts'
import { Lookup, type PathLookup, type PathQuestion } from './lookup.ts'
import { secondLimitMs } from './silent.ts'

const reasons: Readonly<Record<string, 'missing' | 'not-a-directory' | 'unanswered'>> = {
  ENOENT: 'missing',
  ENOTDIR: 'not-a-directory',
  ETIMEDOUT: 'unanswered',
  EBUSY: 'unanswered',
}

/** Directories entered before. Commands still run there while too many lookups hang elsewhere. */
const entered = new Set<string>()
const maxEntered = 1000

export function canEnter(path: string): PathQuestion {
  return { kind: 'directory', path }
}

/** Throws INVALID_REQUEST unless the directory can be entered and its file system answers within 2.2 s. */
export async function checkDirectory(
  path: string,
  pathLookup: PathLookup,
  lookup = new Lookup(pathLookup),
): Promise<void> {
  let failed = await failureAt(path, lookup)
  if (failed === 'ETIMEDOUT') failed = await failureAt(path, new Lookup(pathLookup, secondLimitMs))
  if (failed === undefined) remember(path)
  if (failed === undefined || (failed === 'EBUSY' && entered.has(path))) return
  throw cannotEnter(path, failed)
}

/** In a directory entered before, the command itself finds out: a lookup costs up to a tenth of a start. */
export async function checkNewDirectory(path: string, pathLookup: PathLookup): Promise<void> {
  if (!entered.has(path)) await checkDirectory(path, pathLookup)
}

/** INVALID_REQUEST for a directory that cannot be entered; `errno` is a name. */
export function cannotEnter(path: string, errno: string): VitrineError {
  const reason = reasons[errno]
  const why = reason ? { reason } : ({ reason: 'unreadable', errno } as const)
  return new VitrineError({ code: 'INVALID_REQUEST', problem: { kind: 'cwd', path, ...why } })
}

function remember(path: string): void {
  if (entered.size >= maxEntered) entered.clear()
  entered.add(path)
}

async function failureAt(path: string, lookup: Lookup): Promise<string | undefined> {
  const [answer] = await lookup.ask([canEnter(path)])
  return answer && 'failed' in answer ? answer.failed : undefined
}
