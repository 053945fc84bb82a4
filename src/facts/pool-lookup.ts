import { constants } from 'node:fs'
import { access, lstat, open, readdir, readlink, realpath, stat } from 'node:fs/promises'
import { delimiter } from 'node:path'
import { codedError, errorCode, errorReason } from '../base/errno.ts'
import { within } from '../base/within.ts'
import { gitlinksIn } from './git-index.ts'
import type { PathAnswer, PathLookup, PathQuestion, PathQuestionKind } from './lookup.ts'

const maxTextBytes = 1_048_576
/** About an index with a million files. */
const maxIndexBytes = 134_217_728
/** The kernel's MAXSYMLINKS (linux/namei.h). */
const maxLinks = 40

/** Of Node's four pool threads; the others stay free. Node cannot exit before the hanging ones return. */
const maxHanging = 2

/** One path after the other. */
export function poolLookup(): PathLookup {
  const hanging = new Set<Promise<void>>()
  return {
    ask: async (questions, limitMs) => {
      // On a busy machine they are only late: half of the time is for the first of them to end.
      const isFull = hanging.size >= maxHanging
      const ownMs = isFull ? limitMs / 2 : limitMs
      if (isFull && !(await isDone(Promise.race(hanging), limitMs - ownMs))) return undefined
      const answers: PathAnswer[] = []
      const state = { over: false }
      const lookups = answerAll(questions, answers, state)
      if (!(await isDone(lookups, ownMs))) {
        hanging.add(lookups)
        void lookups.finally(() => hanging.delete(lookups))
      }
      state.over = true
      return [...answers]
    },
  }
}

const slices = 8

/** Whether it is done in time. While this process is busy no answer arrives: it then loses one slice, not all of the time. */
async function isDone(work: Promise<void>, limitMs: number): Promise<boolean> {
  const done = work.then(() => true)
  for (let slice = 0; slice < slices; slice++) if (await within(done, limitMs / slices, false)) return true
  return false
}

async function answerAll(
  questions: readonly PathQuestion[],
  answers: PathAnswer[],
  state: { readonly over: boolean },
): Promise<void> {
  for (const { kind, path } of questions) {
    const answer = await kinds[kind](path).then(
      (found): PathAnswer => ({ found }),
      (error: unknown): PathAnswer => ({ failed: errorReason(error) }),
    )
    if (state.over) return
    answers.push(answer)
  }
}

const kinds: Readonly<Record<PathQuestionKind, (path: string) => Promise<string>>> = {
  where,
  names: async (path) =>
    (await readdir(path, { withFileTypes: true }))
      .map((entry) => `${entry.isFile() || entry.isDirectory() ? '-' : 'l'}${entry.name}\0`)
      .join(''),
  exists: async (path) => {
    await lstat(path)
    return ''
  },
  directory: async (path) => {
    if (!(await stat(path)).isDirectory()) throw codedError('ENOTDIR')
    await access(path, constants.X_OK)
    return ''
  },
  text: async (path) => (await regularFile(path, maxTextBytes)).toString('utf8'),
  gitlinks: async (path) => {
    const found = gitlinksIn(await regularFile(path, maxIndexBytes))
    if (!found) throw codedError('EBADMSG')
    return found.map((name) => `${name}\0`).join('')
  },
  program,
}

async function program(places: string): Promise<string> {
  const end = places.lastIndexOf('/')
  for (const directory of places.slice(0, end).split(delimiter)) {
    const path = directory + places.slice(end)
    const real = await realpath(path).catch(() => undefined) // missing, or not to be found there by a shell either
    if (real !== undefined) return `${real}\0${path}\0${await realpath(directory || '/')}`
  }
  throw codedError('ENOENT')
}

async function where(path: string): Promise<string> {
  let whole = path
  let existing = path
  for (let links = 0; ; ) {
    try {
      return `${await realpath(existing === '' ? '/' : existing)}\0${whole.slice(existing.length)}`
    } catch (error) {
      const code = errorCode(error)
      if (code !== 'ENOENT' && code !== 'ENOTDIR') throw error
      const named = existing.replace(/\/+$/, '')
      const cut = named.lastIndexOf('/')
      if (cut === -1) throw error
      const target = await readlink(named).catch(() => undefined) // no link, or not readable
      if (target === undefined) existing = named.slice(0, cut)
      else if (++links > maxLinks) throw codedError('ELOOP')
      else {
        const rest = whole.slice(named.length)
        whole = (target.startsWith('/') ? target : named.slice(0, cut + 1) + target) + rest
        existing = whole
      }
    }
  }
}

/** O_NONBLOCK: a FIFO that replaces the file must not block us. */
async function regularFile(path: string, maxBytes: number): Promise<Buffer> {
  const before = await stat(path)
  if (before.isDirectory()) throw codedError('EISDIR')
  if (!before.isFile()) throw codedError('EINVAL')
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  try {
    const status = await file.stat()
    if (!status.isFile()) throw codedError('EINVAL')
    if (status.size > maxBytes) throw codedError('EFBIG')
    return await file.readFile()
  } finally {
    await file.close()
  }
}
