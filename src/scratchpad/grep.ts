import { createContext, Script } from 'node:vm'
import { errorCode } from '../errno.ts'
import { type Line, lineBatches } from './lines.ts'

/** What to look for. */
export interface GrepQuery {
  readonly pattern: RegExp
  /** Lines to show before and after each match. */
  readonly context: number
  /** Characters of text that come back at most. */
  readonly maxChars: number
  /** Milliseconds for all of the matching; a pattern that backtracks without end is given up. */
  readonly timeoutMs: number
}

export type GrepOutcome =
  | { readonly kind: 'found'; readonly text: string; readonly matches: number; readonly shown: number }
  | { readonly kind: 'too-slow'; readonly afterMs: number }

/** A line that is longer is matched in parts, so that memory stays bounded. */
const longestLine = 1 << 20

/** Looks through an entry as `grep -n -C` does: `12:match`, `11-context`, `--` between groups. */
export async function grepEntry(path: string, query: GrepQuery): Promise<GrepOutcome> {
  const view = new GrepView(query.context, query.maxChars)
  const matcher = new Matcher(query.pattern, query.timeoutMs)
  for await (const batch of lineBatches(path, longestLine)) {
    const matched = matcher.test(batch)
    if (!matched) return { kind: 'too-slow', afterMs: query.timeoutMs }
    for (const [index, line] of batch.entries()) view.add(line, matched[index] === true)
  }
  return { kind: 'found', text: view.text, matches: view.matches, shown: view.shown }
}

/** Matches lines in a context of its own: only there can a regular expression be interrupted (node:vm, `timeout`). */
class Matcher {
  readonly #script = new Script('lines.map((line) => { pattern.lastIndex = 0; return pattern.test(line) })')
  readonly #context: { lines: string[]; pattern: RegExp }
  #leftMs: number

  constructor(pattern: RegExp, timeoutMs: number) {
    this.#context = { lines: [], pattern }
    createContext(this.#context)
    this.#leftMs = timeoutMs
  }

  /** Undefined when the time is up. */
  test(batch: readonly Line[]): readonly boolean[] | undefined {
    if (this.#leftMs <= 0) return undefined
    this.#context.lines = batch.map(({ text }) => text)
    const started = performance.now()
    try {
      return this.#script.runInContext(this.#context, { timeout: Math.ceil(this.#leftMs) })
    } catch (error) {
      if (errorCode(error) === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return undefined
      throw error
    } finally {
      this.#leftMs -= performance.now() - started
    }
  }
}

/** Puts matches and the lines around them together. */
class GrepView {
  matches = 0
  shown = 0
  #text: string[] = []
  #chars = 0
  #before: Line[] = []
  #after = 0
  #lastNumber = 0
  readonly #context: number
  readonly #maxChars: number

  constructor(context: number, maxChars: number) {
    this.#context = context
    this.#maxChars = maxChars
  }

  get text(): string {
    return this.#text.join('\n')
  }

  add(line: Line, matched: boolean): void {
    if (matched) this.#addMatch(line)
    else if (this.#after > 0) {
      this.#after--
      this.#show(line, '-')
    } else if (this.#context > 0) {
      this.#before.push(line)
      if (this.#before.length > this.#context) this.#before.shift()
    }
  }

  #addMatch(line: Line): void {
    this.matches++
    if (this.#chars >= this.#maxChars) return
    const first = this.#before[0] ?? line
    if (this.#context > 0 && this.#lastNumber > 0 && first.number > this.#lastNumber + 1)
      this.#text.push('--')
    for (const before of this.#before) this.#show(before, '-')
    this.#before = []
    if (this.#show(line, ':')) this.shown++
    this.#after = this.#context
  }

  #show({ number, text }: Line, mark: ':' | '-'): boolean {
    const room = this.#maxChars - this.#chars
    if (room <= 0) return false
    const said = `${number}${mark}${text}`.slice(0, room)
    this.#text.push(said)
    this.#chars += said.length + 1
    this.#lastNumber = number
    return true
  }
}
