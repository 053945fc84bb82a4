import { errnoName } from '../base/errno.ts'
import type { PathAnswer, PathLookup, PathQuestion, PathQuestionKind } from './lookup.ts'

/** native/core.h, enum vt_question. */
export interface LookupAddon {
  /** Returns an id, or a negative errno. The callback gets the answers, unless they are given up. */
  look(questions: string, callback: (answers: Buffer) => void): number
  /** Returns the answers so far; undefined when the callback has run or is about to. */
  giveUpLooking(id: number): Buffer | undefined
  /** Answers at once, and without waiting for a file system; else EAGAIN. Fewer than questions: no room. */
  lookCached(questions: string): Buffer
}

const letters: Readonly<Record<Exclude<PathQuestionKind, 'gitlinks'>, string>> = {
  where: 'r',
  names: 'n',
  exists: 'e',
  directory: 'd',
  text: 't',
}

/** By the addon: from the kernel’s cache of names (lookup/cached.c), else in processes (lookup/pool.c). Git indexes are too large: Node's pool reads them. */
export function nativeLookup(addon: LookupAddon): PathLookup {
  let pool: PathLookup | undefined
  return {
    ask: async (questions, limitMs) => {
      const native = questions.filter(isNative)
      if (native.length === questions.length) return askNative(addon, native, limitMs)
      pool ??= (await import('./pool-lookup.ts')).poolLookup()
      return pool.ask(questions, limitMs)
    },
  }
}

type NativeQuestion = PathQuestion & { readonly kind: keyof typeof letters }

function isNative(question: PathQuestion): question is NativeQuestion {
  return question.kind !== 'gitlinks'
}

/** A lookup that can wait costs three wake-ups of a process or thread, the others one system call each. */
async function askNative(addon: LookupAddon, questions: readonly NativeQuestion[], limitMs: number) {
  const known = answersOf(addon.lookCached(textOf(questions)))
  const open = questions.filter((_, at) => isOpen(known[at]))
  if (open.length === 0) return known
  const rest = (await askAddon(addon, open, limitMs))?.values()
  if (!rest) return undefined
  const answers: PathAnswer[] = []
  for (const at of questions.keys()) {
    const answer = isOpen(known[at]) ? rest.next().value : known[at]
    if (!answer) return answers
    answers.push(answer)
  }
  return answers
}

function isOpen(answer: PathAnswer | undefined): boolean {
  return answer === undefined || ('failed' in answer && answer.failed === 'EAGAIN')
}

function askAddon(
  addon: LookupAddon,
  questions: readonly NativeQuestion[],
  limitMs: number,
): Promise<readonly PathAnswer[] | undefined> {
  return new Promise((resolve) => {
    const answered = (answers: Buffer) => {
      clearTimeout(timer)
      resolve(answersOf(answers))
    }
    const id = addon.look(textOf(questions), answered)
    if (id < 0) return resolve(undefined)
    const timer = setTimeout(() => {
      const answers = addon.giveUpLooking(id)
      if (answers) resolve(answersOf(answers))
    }, limitMs)
  })
}

function textOf(questions: readonly NativeQuestion[]): string {
  return questions.map(({ kind, path }) => letters[kind] + path).join('\0')
}

/** Each answer: errno and length (32 bits each, little-endian on all architectures of the addon), bytes. */
function answersOf(bytes: Buffer): PathAnswer[] {
  const answers: PathAnswer[] = []
  for (let at = 0; at < bytes.length; ) {
    const errno = bytes.readUInt32LE(at)
    const end = at + 8 + bytes.readUInt32LE(at + 4)
    answers.push(errno === 0 ? { found: bytes.toString('utf8', at + 8, end) } : { failed: errnoName(errno) })
    at = end
  }
  return answers
}
