import type { PathAnswer, PathQuestion } from './lookup.ts'

const maxContents = 500
/** Of one answer. A large text is seldom asked for. */
const maxLength = 32_768

/** What was read of files and directories, with the states that they had before. */
export class Contents {
  readonly #known = new Map<string, { readonly state: string; readonly answer: PathAnswer }>()

  /** The answer that was read in this state. */
  get(question: PathQuestion, state: string): PathAnswer | undefined {
    const known = this.#known.get(keyOf(question))
    return known?.state === state ? known.answer : undefined
  }

  /** `state` is taken before the reading: a change during it gives another state. */
  set(question: PathQuestion, state: string, answer: PathAnswer): void {
    if (this.#known.size >= maxContents) this.#known.clear()
    if (isContent(answer)) this.#known.set(keyOf(question), { state, answer })
  }
}

function keyOf({ kind, path }: PathQuestion): string {
  return `${kind} ${path}`
}

/** Other errors depend on more than the file. */
function isContent(answer: PathAnswer): boolean {
  return 'failed' in answer ? answer.failed === 'EISDIR' : answer.found.length <= maxLength
}
