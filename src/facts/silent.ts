import { type Answer, Look, type Looker, type Question } from './look.ts'

/**
 * A busy machine looks like a hanging file system: a question without an answer is repeated once, with this
 * time limit in milliseconds.
 */
export const secondLimitMs = 2000

/** Paths that have answered. They count as answering while too many lookups hang elsewhere. */
const answered = new Set<string>()
const mostAnswered = 1000

/** Those whose file system does not answer within 2.2 s. */
export async function silentAmong(
  questions: readonly Question[],
  looker: Looker,
  look = new Look(looker),
): Promise<readonly Question[]> {
  const late = await silentIn(questions, look)
  return late.length === 0 ? [] : silentIn(late, new Look(looker, secondLimitMs))
}

async function silentIn(questions: readonly Question[], look: Look): Promise<readonly Question[]> {
  const answers = await look.ask(questions)
  return questions.filter(({ path }, at) => isSilent(path, answers[at]))
}

function isSilent(path: string, answer: Answer | undefined): boolean {
  if (answer && 'found' in answer) return !remembered(path)
  if (!answer || answer.failed === 'ETIMEDOUT') return true
  return answer.failed === 'EBUSY' ? !answered.has(path) : !remembered(path)
}

function remembered(path: string): true {
  if (answered.size >= mostAnswered) answered.clear()
  answered.add(path)
  return true
}
