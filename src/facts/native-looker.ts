import { errnoName } from '../errno.ts'
import type { Answer, Kind, Looker, Question } from './look.ts'

/** The addon's part of it (Linux): native/core.h, enum vt_question. */
export interface LookAddon {
  /** An id, or an errno below 0. The callback gets the answers, unless they are given up. */
  look(questions: string, callback: (answers: Buffer) => void): number
  /** The answers so far; undefined when the callback has been called, or is about to be. */
  giveUpLooking(id: number): Buffer | undefined
}

const letters: Readonly<Record<Kind, string>> = {
  where: 'r',
  names: 'n',
  exists: 'e',
  directory: 'd',
  text: 't',
}

/** Has the addon look, in processes of its own: see native/linux/lookups.c. */
export function nativeLooker(addon: LookAddon): Looker {
  return {
    ask: (questions, limitMs) =>
      new Promise((resolve) => {
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
      }),
  }
}

function textOf(questions: readonly Question[]): string {
  return questions.map(({ kind, path }) => letters[kind] + path).join('\0')
}

/** Two numbers of 32 bits, the bytes. Every processor that the addon is built for has the low byte first. */
function answersOf(bytes: Buffer): Answer[] {
  const answers: Answer[] = []
  for (let at = 0; at < bytes.length; ) {
    const errno = bytes.readUInt32LE(at)
    const end = at + 8 + bytes.readUInt32LE(at + 4)
    answers.push(errno === 0 ? { found: bytes.toString('utf8', at + 8, end) } : { failed: errnoName(errno) })
    at = end
  }
  return answers
}
