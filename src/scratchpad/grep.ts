import { setImmediate } from 'node:timers/promises'
import { monotonicMs } from '../base/clock.ts'
import { lineBatches, type OutputLine } from './read.ts'

/** Tests lines. Its time must grow linearly with the text, because a call is not interrupted. */
export interface LinePattern {
  readonly test: (text: string) => boolean
  /** The most characters to test in one call; a longer line is tested in parts. */
  readonly longest: number
}

interface GrepQuery {
  readonly pattern: LinePattern
  readonly context: number
  readonly maxChars: number
  readonly timeoutMs: number
}

type GrepOutcome =
  | { readonly kind: 'found'; readonly text: string; readonly matches: number; readonly shown: number }
  | { readonly kind: 'too-slow'; readonly afterMs: number }

/** Longer lines are shown in parts, so that memory stays bounded. */
const maxLineLength = 1 << 20

/** Searches an entry like `grep -n -C`: `12:match`, `11-context`, `--` between groups. */
export async function grepEntry(path: string, query: GrepQuery): Promise<GrepOutcome> {
  const view = new GrepView(query.context, query.maxChars)
  const matcher = new Matcher(query)
  for await (const batch of lineBatches(path, maxLineLength))
    for (const line of batch) {
      const matched = await matcher.matches(line.text)
      if (matched === undefined) return { kind: 'too-slow', afterMs: query.timeoutMs }
      view.add(line, matched)
    }
  return { kind: 'found', text: view.text, matches: view.matches, shown: view.shown }
}

/** Milliseconds of matching before other work gets its turn. */
const turnMs = 20

/** Yields to the event loop between parts. */
class Matcher {
  readonly #query: GrepQuery
  #spentMs = 0
  #restedMs = 0

  constructor(query: GrepQuery) {
    this.#query = query
  }

  /** `undefined` if time is up. */
  async matches(text: string): Promise<boolean | undefined> {
    const { pattern, timeoutMs } = this.#query
    // Parts overlap, so that a match across a boundary is found.
    const step = Math.ceil(pattern.longest * 0.75)
    for (let start = 0; this.#spentMs < timeoutMs; start += step) {
      if (this.#test(text.slice(start, start + pattern.longest))) return true
      if (this.#spentMs - this.#restedMs > turnMs) await this.#rest()
      if (start + pattern.longest >= text.length) return false
    }
    return undefined
  }

  #test(part: string): boolean {
    const started = monotonicMs()
    const matched = this.#query.pattern.test(part)
    this.#spentMs += monotonicMs() - started
    return matched
  }

  async #rest(): Promise<void> {
    this.#restedMs = this.#spentMs
    await setImmediate()
  }
}

class GrepView {
  matches = 0
  shown = 0
  #text: string[] = []
  #chars = 0
  #before: OutputLine[] = []
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

  add(line: OutputLine, matched: boolean): void {
    if (matched) this.#addMatch(line)
    else if (this.#after > 0) {
      this.#after--
      this.#show(line, '-')
    } else if (this.#context > 0) {
      this.#before.push(line)
      if (this.#before.length > this.#context) this.#before.shift()
    }
  }

  #addMatch(line: OutputLine): void {
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

  #show({ number, text }: OutputLine, mark: ':' | '-'): boolean {
    const room = this.#maxChars - this.#chars
    if (room <= 0) return false
    const said = `${number}${mark}${text}`.slice(0, room)
    this.#text.push(said)
    this.#chars += said.length + 1
    this.#lastNumber = number
    return true
  }
}
