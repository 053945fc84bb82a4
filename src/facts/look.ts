/**
 * What can be asked about a path: where it leads, the names in it, whether it is there, whether it can be entered, its text,
 * and of a git index the paths of its gitlinks.
 */
export type Kind = 'where' | 'names' | 'exists' | 'directory' | 'text' | 'gitlinks'

export interface Question {
  readonly kind: Kind
  /** Absolute. */
  readonly path: string
}

/**
 * What was found, or the name of the errno. `where`: the real path of the part that exists, NUL, the rest as written. `names`: each
 * behind `l`, where it may be a link, or `-`, and with a NUL. `exists` and `directory`: nothing but that it is so. `text`: EISDIR, EINVAL for what is no regular file, EFBIG.
 * `gitlinks`: each with a NUL; EBADMSG for what is no index, else as `text`.
 */
export type Answer = { readonly found: string } | { readonly failed: string }

/** Looks at paths without ever keeping the JavaScript thread waiting. */
export interface Looker {
  /**
   * Answers in the order of the questions. Fewer than there are questions: so many within the time, and the next one is what did
   * not answer. Undefined, at once: nobody can look, for too many look-ups hang already.
   */
  ask(questions: readonly Question[], limitMs: number): Promise<readonly Answer[] | undefined>
}

/** A file system has so long to answer for one decision, in milliseconds. Then what is not known yet is unknown. */
export const lookLimitMs = 200

/** A link that leads back to itself behind what is not there does so for ever: from then on it is not known. */
const mostTurns = 8

const unanswered: Answer = { failed: 'ETIMEDOUT' }
/** Nobody can look. */
const unasked: Answer = { failed: 'EBUSY' }

/** One look at the machine, for one decision. What it has seen it does not look at again. */
export class Look {
  /** Paths that did not answer, and what was asked for after the time was over; empty: nobody could look. */
  readonly unanswered: string[] = []
  readonly #looker: Looker
  readonly #until: number
  readonly #seen: Readonly<Record<Kind, Map<string, Answer>>> = {
    where: new Map(),
    names: new Map(),
    exists: new Map(),
    directory: new Map(),
    text: new Map(),
    gitlinks: new Map(),
  }
  readonly #wanted: Question[] = []

  constructor(looker: Looker, limitMs = lookLimitMs) {
    this.#looker = looker
    this.#until = performance.now() + limitMs
  }

  /** An answer to each question. Those that are asked together cost little more than one. */
  async ask(questions: readonly Question[]): Promise<readonly Answer[]> {
    await this.#learn(questions)
    return questions.map(({ kind, path }) => this.#seen[kind].get(path) ?? unanswered)
  }

  /** What is not seen yet is looked at, once. */
  async #learn(questions: readonly Question[]): Promise<void> {
    const fresh = new Map<string, Question>()
    for (const question of questions)
      if (!this.#seen[question.kind].has(question.path)) fresh.set(question.kind + question.path, question)
    if (fresh.size === 0) return
    // Apart, for they are read elsewhere: see native-looker.ts.
    const isIndex = ({ kind }: Question) => kind === 'gitlinks'
    for (const asked of [
      [...fresh.values()].filter((one) => !isIndex(one)),
      [...fresh.values()].filter(isIndex),
    ]) {
      const answers = await this.#find(asked)
      for (const [at, { kind, path }] of asked.entries())
        this.#seen[kind].set(path, answers[at] ?? unanswered)
    }
  }

  /** What is seen of it already. Not yet: it is asked for by the next `fill`, and does not answer until then. */
  see(question: Question): Answer {
    const answer = this.#seen[question.kind].get(question.path)
    if (!answer) this.#wanted.push(question)
    return answer ?? unanswered
  }

  /** Asks for what was wanted since, and says what that was. */
  async fill(): Promise<readonly Question[]> {
    const wanted = this.#wanted.splice(0)
    if (wanted.length > 0) await this.#learn(wanted)
    return wanted
  }

  /** What hangs takes three quarters of the time that is left, so that the others get an answer, too. */
  async #find(questions: readonly Question[]): Promise<readonly Answer[]> {
    const answers: Answer[] = []
    while (answers.length < questions.length) {
      const rest = questions.slice(answers.length)
      const left = this.#until - performance.now()
      const found = left > 0 ? await this.#looker.ask(rest, left * 0.75) : undefined
      if (!found) return [...answers, ...(left > 0 ? this.#unasked(rest) : this.#missed(rest))]
      answers.push(...found)
      answers.push(...this.#missed(rest.slice(found.length, found.length + 1)))
    }
    return answers
  }

  #missed(questions: readonly Question[]): Answer[] {
    for (const { path } of questions) this.unanswered.push(path)
    return questions.map(() => unanswered)
  }

  #unasked(questions: readonly Question[]): Answer[] {
    this.unanswered.push('')
    return questions.map(() => unasked)
  }

  /** Where paths lead; absent: unknown. What does not exist stands as written below the part that does. */
  async where(paths: readonly string[], turns = mostTurns): Promise<ReadonlyMap<string, string>> {
    const asked = [...new Set(paths)]
    const answers = await this.ask(asked.map(whereIs))
    const found = asked.map((_, at) => foundIn(answers[at]))
    // What is not there yet can be made: then what stands behind its `..` may be a link.
    const again = found.flatMap((place) => (turns > 0 && place?.turnsBack ? [place.path] : []))
    const there = again.length === 0 ? new Map<string, string>() : await this.where(again, turns - 1)
    const where = new Map<string, string>()
    for (const [at, path] of asked.entries()) {
      const place = found[at]
      const real = place?.turnsBack ? there.get(place.path) : place?.path
      if (real !== undefined) where.set(path, real)
    }
    return where
  }

  /** The names in each directory, or why they are not known. */
  async names(directories: readonly string[]): Promise<readonly Names[]> {
    const answers = await this.ask(directories.map(namesIn))
    return answers.map((answer) =>
      'failed' in answer ? answer : answer.found.split('\0').slice(0, -1).map(nameOf),
    )
  }
}

/** The names in a directory. */
export type Names = readonly Name[] | { readonly failed: string }

export interface Name {
  readonly name: string
  /** It leads nowhere but to itself. */
  readonly plain: boolean
}

function nameOf(entry: string): Name {
  return { name: entry.slice(1), plain: entry.startsWith('-') }
}

/** To be asked together with others. */
export function whereIs(path: string): Question {
  return { kind: 'where', path: path === '' ? '/' : path }
}

export function namesIn(path: string): Question {
  return { kind: 'names', path }
}

/** Undefined: not known, nor is what has a name that is not Unicode, for here it would pass for another one. */
function foundIn(
  answer: Answer | undefined,
): { readonly path: string; readonly turnsBack: boolean } | undefined {
  if (!answer || 'failed' in answer || !isWhole(answer.found)) return undefined
  const end = answer.found.indexOf('\0')
  const existing = answer.found.slice(0, end)
  // The usual case: all of it is there.
  if (end === answer.found.length - 1) return { path: existing, turnsBack: false }
  const parts = existing.split('/').filter((part) => part !== '')
  const rest = answer.found.slice(end + 1).split('/')
  for (const name of rest) {
    if (name === '..') parts.pop()
    else if (name !== '.' && name !== '') parts.push(name)
  }
  return { path: `/${parts.join('/')}`, turnsBack: rest.includes('..') }
}

/** Whether a name or a text is as it was read: what is no UTF-8 stands in it as U+FFFD, and so it names something else. */
export function isWhole(text: string): boolean {
  return !text.includes('\u{fffd}')
}
