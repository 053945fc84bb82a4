import { Lookup, type PathAnswer, type PathLookup, type PathQuestion } from './lookup.ts'

/** A busy machine looks like a hanging file system: an unanswered question is repeated with this limit. */
export const secondLimitMs = 2000

/** Paths that have answered. They count as answering while too many lookups hang elsewhere. */
const answered = new Set<string>()
const maxAnswered = 1000

/** Those whose file system does not answer within 2.2 s. */
export async function silentAmong(
  questions: readonly PathQuestion[],
  pathLookup: PathLookup,
  lookup = new Lookup(pathLookup),
): Promise<readonly PathQuestion[]> {
  const late = await silentIn(questions, lookup)
  return late.length === 0 ? [] : silentIn(late, new Lookup(pathLookup, secondLimitMs))
}

async function silentIn(
  questions: readonly PathQuestion[],
  lookup: Lookup,
): Promise<readonly PathQuestion[]> {
  const answers = await lookup.ask(questions)
  return questions.filter(({ path }, at) => isSilent(path, answers[at]))
}

function isSilent(path: string, answer: PathAnswer | undefined): boolean {
  if (answer && 'found' in answer) return !remembered(path)
  if (!answer || answer.failed === 'ETIMEDOUT') return true
  return answer.failed === 'EBUSY' ? !answered.has(path) : !remembered(path)
}

function remembered(path: string): true {
  if (answered.size >= maxAnswered) answered.clear()
  answered.add(path)
  return true
}
