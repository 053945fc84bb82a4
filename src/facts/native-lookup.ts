import { monotonicMs } from '../base/clock.ts'
import { errnoName } from '../base/errno.ts'
import { Contents } from './contents.ts'
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

type Letters = Readonly<Partial<Record<PathQuestionKind, string>>>

const letters: Letters = { where: 'r', names: 'n', exists: 'e', directory: 'd', text: 't', program: 'p' }
/** Of what was read before, the kernel tells at once whether it has changed. */
const stateLetters: Letters = { names: 's', text: 's', gitlinks: 's' }
const cachedLetters: Letters = { ...letters, ...stateLetters }

/**
 * By the addon: from the kernel's cache of names (lookup/cached.c), else in processes (lookup/pool.c), which cost three wake-ups.
 * Git indexes are too large for these: Node's pool reads them. They come last.
 */
export function nativeLookup(addon: LookupAddon): PathLookup {
  const contents = new Contents()
  let pool: PathLookup | undefined
  const look = async (questions: readonly PathQuestion[], limitMs: number) => {
    const until = monotonicMs() + limitMs
    const native = questions.filter(({ kind }) => kind !== 'gitlinks')
    const answers = native.length === 0 ? [] : await askAddon(addon, native, limitMs)
    if (!answers || answers.length < native.length || native.length === questions.length) return answers
    pool ??= (await import('./pool-lookup.ts')).poolLookup()
    const indexes = await pool.ask(questions.slice(native.length), until - monotonicMs())
    return [...answers, ...(indexes ?? [])]
  }
  return {
    ask: async (questions, limitMs) => {
      const cached = answersOf(addon.lookCached(textOf(questions, cachedLetters)))
      const answers = questions.map((question, at) => answerNow(question, cached[at], contents))
      const open = questions.filter((_, at) => !answers[at])
      const found = open.length === 0 ? [] : await look(open, limitMs)
      if (!found) return undefined
      const rest = found.values()
      for (const [at, question] of questions.entries()) {
        if (answers[at]) continue
        const answer = rest.next().value
        if (!answer) return whole(answers.slice(0, at))
        const state = stateOf(question, cached[at])
        if (state !== undefined) contents.set(question, state, answer)
        answers[at] = answer
      }
      return whole(answers)
    },
  }
}

/** Undefined where a process has to look. */
function answerNow(
  question: PathQuestion,
  cached: PathAnswer | undefined,
  contents: Contents,
): PathAnswer | undefined {
  const state = stateOf(question, cached)
  if (state !== undefined) return contents.get(question, state)
  return cached && 'failed' in cached && cached.failed === 'EAGAIN' ? undefined : cached
}

function stateOf({ kind }: PathQuestion, cached: PathAnswer | undefined): string | undefined {
  return stateLetters[kind] && cached && 'found' in cached ? cached.found : undefined
}

function whole(answers: readonly (PathAnswer | undefined)[]): PathAnswer[] {
  return answers.filter((answer) => answer !== undefined)
}

function askAddon(
  addon: LookupAddon,
  questions: readonly PathQuestion[],
  limitMs: number,
): Promise<readonly PathAnswer[] | undefined> {
  return new Promise((resolve) => {
    const answered = (answers: Buffer) => {
      clearTimeout(timer)
      resolve(answersOf(answers))
    }
    const id = addon.look(textOf(questions, letters), answered)
    if (id < 0) return resolve(undefined)
    const timer = setTimeout(() => {
      const answers = addon.giveUpLooking(id)
      if (answers) resolve(answersOf(answers))
    }, limitMs)
  })
}

function textOf(questions: readonly PathQuestion[], letters: Letters): string {
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
