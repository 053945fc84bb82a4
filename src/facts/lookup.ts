import { monotonicMs } from '../base/clock.ts'
export type PathQuestionKind = 'where' | 'names' | 'exists' | 'directory' | 'text' | 'gitlinks' | 'program'

export interface PathQuestion {
  readonly kind: PathQuestionKind
  readonly path: string
}

/**
 * The answer, or the name of the errno. `where`: the real path of the existing part, NUL, the rest as
 * written. `names`: each preceded by `l` (it may be a link) or `-`, and ended by NUL. `exists` and
 * `directory`: an empty string. `text`: EISDIR, EINVAL for anything but a regular file, EFBIG. `gitlinks`:
 * each ended by NUL; EBADMSG for a file that is no index, otherwise as `text`. `program`, about
 * `DIRECTORY:DIRECTORY/NAME`: the real path of the first such file, NUL, its path, NUL, its directory's real path.
 */
export type PathAnswer = { readonly found: string } | { readonly failed: string }

export interface PathLookup {
  /** In order; fewer: the time limit was reached at the next. Undefined: too many lookups hang. */
  ask(questions: readonly PathQuestion[], limitMs: number): Promise<readonly PathAnswer[] | undefined>
}

/** The time that lookups for one decision may take, in milliseconds; after it, missing facts are unknown. */
const lookupLimitMs = 200

/**
 * How often `where` asks again about a path with `..` behind a missing name. It may lead to a link with another one, without end:
 * after this the path is unknown.
 */
const maxTurns = 8

const unanswered: PathAnswer = { failed: 'ETIMEDOUT' }
const unasked: PathAnswer = { failed: 'EBUSY' }

/** The lookups for one decision. Answers are cached. */
export class Lookup {
  /** Paths without an answer in time; an empty string: no lookup was possible. */
  readonly unanswered: string[] = []
  readonly #pathLookup: PathLookup
  #until: number
  readonly #seen: Readonly<Record<PathQuestionKind, Map<string, PathAnswer>>> = {
    where: new Map(),
    names: new Map(),
    exists: new Map(),
    directory: new Map(),
    text: new Map(),
    gitlinks: new Map(),
    program: new Map(),
  }
  readonly #wanted: PathQuestion[] = []

  constructor(pathLookup: PathLookup, limitMs = lookupLimitMs) {
    this.#pathLookup = pathLookup
    this.#until = monotonicMs() + limitMs
  }

  /** One answer per question. A batch costs little more than one question. */
  async ask(questions: readonly PathQuestion[]): Promise<readonly PathAnswer[]> {
    await this.#learn(questions)
    return questions.map(({ kind, path }) => this.#seen[kind].get(path) ?? unanswered)
  }

  async #learn(questions: readonly PathQuestion[]): Promise<void> {
    const fresh = new Map<string, PathQuestion>()
    for (const question of questions)
      if (!this.#seen[question.kind].has(question.path)) fresh.set(question.kind + question.path, question)
    if (fresh.size === 0) return
    // Indexes last: they take the longest.
    const asked = [...fresh.values()].sort((a, b) => Number(isIndex(a)) - Number(isIndex(b)))
    const answers = await this.#find(asked)
    for (const [at, { kind, path }] of asked.entries()) this.#seen[kind].set(path, answers[at] ?? unanswered)
  }

  /** The cached answer; else ETIMEDOUT for now, and the next `fill` asks the question. */
  see(question: PathQuestion): PathAnswer {
    const answer = this.#seen[question.kind].get(question.path)
    if (!answer) this.#wanted.push(question)
    return answer ?? unanswered
  }

  /** Asks the questions that `see` could not answer, and returns them. */
  async fill(): Promise<readonly PathQuestion[]> {
    const wanted = this.#wanted.splice(0)
    if (wanted.length > 0) await this.#learn(wanted)
    return wanted
  }

  /** A question that hangs takes three quarters of the remaining time, which leaves some for the others. */
  async #find(questions: readonly PathQuestion[]): Promise<readonly PathAnswer[]> {
    const answers: PathAnswer[] = []
    while (answers.length < questions.length) {
      const rest = questions.slice(answers.length)
      const left = this.#until - monotonicMs()
      const found = left > 0 ? await this.#askWithin(rest, left * 0.75) : undefined
      if (!found) return [...answers, ...(left > 0 ? this.#unasked(rest) : this.#missed(rest))]
      answers.push(...found)
      answers.push(...this.#missed(rest.slice(found.length, found.length + 1)))
    }
    return answers
  }

  /** An ask that ends past its limit waited for this process, which was busy: that time does not count. */
  async #askWithin(questions: readonly PathQuestion[], limitMs: number) {
    const end = monotonicMs() + limitMs
    const answers = await this.#pathLookup.ask(questions, limitMs)
    this.#until += Math.max(0, monotonicMs() - end)
    return answers
  }

  #missed(questions: readonly PathQuestion[]): PathAnswer[] {
    for (const { path } of questions) this.unanswered.push(path)
    return questions.map(() => unanswered)
  }

  #unasked(questions: readonly PathQuestion[]): PathAnswer[] {
    this.unanswered.push('')
    return questions.map(() => unasked)
  }

  /** The real paths; unknown ones are absent. The part that does not exist is appended as written. */
  async where(paths: readonly string[], turns = maxTurns): Promise<ReadonlyMap<string, string>> {
    const asked = [...new Set(paths)]
    const answers = await this.ask(asked.map(whereIs))
    const found = asked.map((_, at) => foundIn(answers[at]))
    // Once a missing directory exists, the path behind its `..` counts, and may be a link: asked again.
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

  async names(directories: readonly string[]): Promise<readonly DirectoryNames[]> {
    const answers = await this.ask(directories.map(namesIn))
    return answers.map((answer) =>
      'failed' in answer ? answer : answer.found.split('\0').slice(0, -1).map(nameOf),
    )
  }
}

function isIndex({ kind }: PathQuestion): boolean {
  return kind === 'gitlinks'
}

export type DirectoryNames = readonly DirectoryName[] | { readonly failed: string }

export interface DirectoryName {
  readonly name: string
  /** Not a symbolic link. */
  readonly plain: boolean
}

function nameOf(entry: string): DirectoryName {
  return { name: entry.slice(1), plain: entry.startsWith('-') }
}

/** Without the names that lead nowhere else: `.` and empty ones. */
export function whereIs(path: string): PathQuestion {
  return { kind: 'where', path: path.replace(/\/\.?(?=\/|$)/g, '') || '/' }
}

export function namesIn(path: string): PathQuestion {
  return { kind: 'names', path }
}

/** Undefined when unknown, or when a name is not UTF-8: decoded, it would name another file. */
function foundIn(
  answer: PathAnswer | undefined,
): { readonly path: string; readonly turnsBack: boolean } | undefined {
  if (!answer || 'failed' in answer || !isWhole(answer.found)) return undefined
  const end = answer.found.indexOf('\0')
  const existing = answer.found.slice(0, end)
  // The usual case: the whole path exists.
  if (end === answer.found.length - 1) return { path: existing, turnsBack: false }
  const parts = existing.split('/').filter((part) => part !== '')
  const rest = answer.found.slice(end + 1).split('/')
  for (const name of rest) {
    if (name === '..') parts.pop()
    else if (name !== '.' && name !== '') parts.push(name)
  }
  return { path: `/${parts.join('/')}`, turnsBack: rest.includes('..') }
}

/** Whether decoding lost nothing: invalid UTF-8 becomes U+FFFD, and a path then names another file. */
export function isWhole(text: string): boolean {
  return !text.includes('\u{fffd}')
}
