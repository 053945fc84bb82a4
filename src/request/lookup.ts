import { readlink, realpath, type Stats, stat } from 'node:fs'
import { monotonicMs, within } from '../base/clock.ts'
import { codedError, errorCode, errorReason } from '../base/errno.ts'
import { VitrineError } from '../messages/error.ts'

/** How long a file system may take to answer. A busy machine takes longer than a working file system does. */
export const lookupLimitMs = 2200

/** Of Node's four pool threads; the others stay free. Node cannot exit before the hanging ones return (`leave`). */
const maxHanging = 2
const hanging = new Set<Promise<unknown>>()

/** How long a lookup waits for an end of those that hang: a busy host may not have taken in their answers yet. */
const turnLimitMs = 50

/**
 * What the work finds, which asks one thing after the other; rejects with ETIMEDOUT where a file system does not answer in time, and
 * soon with EBUSY where earlier work still hangs.
 */
export async function answered<T>(work: () => Promise<T>, limitMs = lookupLimitMs): Promise<T> {
  while (hanging.size >= maxHanging)
    if (!(await endsWithin(turnLimitMs, Promise.race(hanging)))) throw codedError('EBUSY')
  const finding = work()
  const done = finding.catch(() => {})
  if (await endsWithin(limitMs, done)) return finding
  hanging.add(done)
  void done.then(() => hanging.delete(done))
  throw codedError('ETIMEDOUT')
}

/** While this process is busy no answer arrives: a slice that ends late counts for less. Each step of the work needs one. */
const slices = 8
const mostLate = 30

async function endsWithin(limitMs: number, work: Promise<unknown>): Promise<boolean> {
  const ends = work.then(() => true)
  const slice = limitMs / slices
  for (let passed = 0; passed < limitMs; ) {
    const began = monotonicMs()
    if (await within(ends, slice, false)) return true
    passed += monotonicMs() - began < 1.5 * slice ? slice : limitMs / mostLate
    // Timers run before the answers that are waiting are taken in.
    await new Promise((resolve) => setImmediate(resolve))
  }
  return within(ends, 0, false)
}

/** True for the errors that `answered` adds. */
export function isUnanswered(error: unknown): boolean {
  const code = errorCode(error)
  return code === 'ETIMEDOUT' || code === 'EBUSY'
}

/** In place of node:fs/promises, which is slow to load. */
function found<T>(ask: (done: (error: Error | null, answer: T) => void) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    ask((error, answer) => (error ? reject(error) : resolve(answer)))
  })
}

function status(path: string): Promise<Stats> {
  return found((done) => stat(path, done))
}

/** Throws ENOENT, ENOTDIR, EACCES, ... unless a command could start there: finding the dot takes the right to search (path_resolution(7)). */
export async function enter(path: string): Promise<void> {
  if (!(await status(`${path}/.`)).isDirectory()) throw codedError('ENOTDIR')
}

/** Undefined: it is not there. */
export async function statusOf(path: string): Promise<Stats | undefined> {
  return status(path).catch(() => undefined)
}

/** The kernel's MAXSYMLINKS (linux/namei.h). */
const maxLinks = 40

/** Where a path leads, links followed as far as it exists, also through links that lead nowhere. */
export async function whereIs(path: string): Promise<string> {
  let whole = path
  let existing = path
  for (let links = 0; ; ) {
    try {
      const real = await found<string>((done) => realpath.native(existing === '' ? '/' : existing, done))
      return joined(real, whole.slice(existing.length))
    } catch (error) {
      const code = errorCode(error)
      if (code !== 'ENOENT' && code !== 'ENOTDIR') throw error
      const named = existing.replace(/\/+$/, '')
      const cut = named.lastIndexOf('/')
      if (cut === -1) throw error
      const target = await found<string>((done) => readlink(named, done)).catch(() => undefined) // no link, or not readable
      if (target === undefined) existing = named.slice(0, cut)
      else if (++links > maxLinks) throw codedError('ELOOP')
      else {
        whole =
          (target.startsWith('/') ? target : named.slice(0, cut + 1) + target) + whole.slice(named.length)
        existing = whole
      }
    }
  }
}

function joined(existing: string, rest: string): string {
  const parts = existing.split('/').filter((part) => part !== '')
  for (const name of rest.split('/')) {
    if (name === '..') parts.pop()
    else if (name !== '.' && name !== '') parts.push(name)
  }
  return `/${parts.join('/')}`
}

const reasons: Readonly<Record<string, 'missing' | 'not-a-directory' | 'unanswered'>> = {
  ENOENT: 'missing',
  ENOTDIR: 'not-a-directory',
  ETIMEDOUT: 'unanswered',
  EBUSY: 'unanswered',
}

/** Directories entered before. Commands still run there while too many lookups hang elsewhere. */
const entered = new Set<string>()
const maxEntered = 1000

/**
 * Throws INVALID_REQUEST unless the directory can be entered and its file system answers. Also starts the threads of Node's pool: a
 * command may use up all processes of the user, and Node aborts where it cannot start them later.
 */
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
