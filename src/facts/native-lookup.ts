import { errnoName } from '../base/errno.ts'
import type { PathAnswer, PathLookup, PathQuestion, PathQuestionKind } from './lookup.ts'

/** native/core.h, enum vt_question. */
export interface LookupAddon {
  /** Returns an id, or a negative errno. The callback gets the answers, unless they are given up. */
  look(questions: string, callback: (answers: Buffer) => void): number
  /** Returns the answers so far; undefined when the callback has run or is about to. */
  giveUpLooking(id: number): Buffer | undefined
}

const letters: Readonly<Record<Exclude<PathQuestionKind, 'gitlinks'>, string>> = {
  where: 'r',
  names: 'n',
  exists: 'e',
  directory: 'd',
  text: 't',
}

/** By the addon, in its own processes (lookup/pool.c). Git indexes are too large: Node's pool reads them. */
export function nativeLookup(addon: LookupAddon): PathLookup {
  let pool: PathLookup | undefined
  return {
    ask: async (questions, limitMs) => {
      const native = questions.filter(isNative)
      if (native.length === questions.length) return askAddon(addon, native, limitMs)
      pool ??= (await import('./pool-lookup.ts')).poolLookup()
      return pool.ask(questions, limitMs)
    },
  }
}

type NativeQuestion = PathQuestion & { readonly kind: keyof typeof letters }

function isNative(question: PathQuestion): question is NativeQuestion {
  return question.kind !== 'gitlinks'
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
