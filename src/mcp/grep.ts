import { setImmediate } from 'node:timers/promises'
import type { RE2JS } from 're2js'
import { monotonicMs } from '../base/clock.ts'
import { errorText } from '../base/errno.ts'
import { decode, withLine } from '../base/text.ts'
import { chunksOf, newline } from './read.ts'

interface Query {
  readonly source: string
  readonly ignoreCase: boolean
  /** Lines to show before and after each match. */
  readonly context: number
  readonly maxChars: number
}

/** Text, or why there is none. */
type Found = { readonly text: string } | { readonly refusal: string }

/** Milliseconds that matching a pattern may take on one entry. */
const timeoutMs = 5000
/** Milliseconds of matching before other work gets its turn. */
const turnMs = 20

/** Searches an entry like `grep -n -C`: `12:match`, `11-context`, `--` between groups. */
export async function grepEntry(path: string, query: Query): Promise<Found> {
  const pattern = await compiled(query)
  if ('refusal' in pattern) return pattern
  const view = new GrepView(query)
  const until = monotonicMs() + timeoutMs
  let turn = monotonicMs() + turnMs
  for await (const batch of lineBatches(path))
    for (const line of batch) {
      let matched = false
      for (const part of partsOf(line.text, pattern.longest)) {
        matched ||= pattern.compiled.test(part)
        if (monotonicMs() > until) return { refusal: tooSlow }
        if (monotonicMs() < turn) continue
        await setImmediate()
        turn = monotonicMs() + turnMs
      }
      view.add(line, matched)
    }
  return { text: withLine(view.text, matchLine(query, view)) }
}

const tooSlow = `The search exceeded ${timeoutMs} ms. Use a simpler pattern, or read a range with offset and limit.`

function matchLine({ source, ignoreCase }: Query, { matches, shown }: GrepView): string {
  const pattern = `/${source}/${ignoreCase ? 'i' : ''}`
  if (matches === 0) return `[no line matches ${pattern}]`
  const lines = `${matches} ${matches === 1 ? 'line matches' : 'lines match'} ${pattern}`
  return shown < matches ? `[${lines}; the first ${shown} are shown; narrow the pattern]` : `[${lines}]`
}

interface Pattern {
  readonly compiled: RE2JS
  /** The most characters to test in one call, which is not interrupted; a longer line is tested in parts. */
  readonly longest: number
}

const maxSourceLength = 1000
/** Instructions of the compiled pattern: `error|warn|fatal` has 18. */
const maxInstructions = 1000
/** Instructions times characters of one test: at most 0.2 s, during which the server does nothing else. */
const maxSteps = 4_000_000

/** RE2 syntax, which matches in linear time. */
async function compiled({ source, ignoreCase }: Query): Promise<Pattern | { readonly refusal: string }> {
  if (source.length > maxSourceLength)
    return refused(`this pattern is longer than ${maxSourceLength} characters`)
  // Imported late: few clients search for a pattern.
  const { RE2JS } = await import('re2js')
  try {
    const pattern = RE2JS.compile(source, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0)
    const size = pattern.programSize()
    if (size > maxInstructions)
      return refused('this pattern repeats too much (a{1000} inside another repetition)')
    return { compiled: pattern, longest: Math.floor(maxSteps / size) }
  } catch (error) {
    return refused(errorText(error))
  }
}

function refused(reason: string) {
  return {
    refusal: `grep takes RE2 syntax, without lookaround and backreferences; ${reason}. Escape special characters (\\. \\( \\[ \\*).`,
  }
}

/** They overlap, so that a match across a boundary is found. */
function partsOf(text: string, longest: number): readonly string[] {
  if (text.length <= longest) return [text]
  const step = Math.ceil(longest * 0.75)
  const count = Math.ceil((text.length - longest) / step) + 1
  return Array.from({ length: count }, (_, at) => text.slice(at * step, at * step + longest))
}

/** A line and its number, from 1. */
interface OutputLine {
  readonly number: number
  readonly text: string
}

/** Longer lines are shown in parts, so that memory stays bounded. */
const maxLineBytes = 1 << 20

/** Lines of a file in batches, without line ends. */
async function* lineBatches(path: string): AsyncGenerator<OutputLine[]> {
  let rest: Buffer = Buffer.alloc(0)
  let number = 1
  for await (const chunk of chunksOf(path)) {
    const bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk
    const batch: OutputLine[] = []
    let start = 0
    for (let end = bytes.indexOf(newline); end !== -1; end = bytes.indexOf(newline, start)) {
      batch.push({ number: number++, text: decode(bytes.subarray(start, end)) })
      start = end + 1
    }
    rest = Buffer.from(bytes.subarray(start))
    if (rest.length > maxLineBytes) {
      batch.push({ number, text: decode(rest) })
      rest = Buffer.alloc(0)
    }
    yield batch
  }
  if (rest.length > 0) yield [{ number, text: decode(rest) }]
}

class GrepView {
  matches = 0
  shown = 0
  readonly #context: number
  readonly #shown: string[] = []
  #room: number
  #before: OutputLine[] = []
  #after = 0
  #last = 0

  constructor({ context, maxChars }: Query) {
    this.#context = context
    this.#room = maxChars
  }

  get text(): string {
    return this.#shown.join('\n')
  }

  add(line: OutputLine, matched: boolean): void {
    if (matched) this.#addMatch(line)
    else if (this.#after > 0) {
      this.#after--
      this.#show(line, '-')
    } else {
      this.#before.push(line)
      if (this.#before.length > this.#context) this.#before.shift()
    }
  }

  #addMatch(line: OutputLine): void {
    this.matches++
    for (const before of this.#before) this.#show(before, '-')
    this.#before = []
    if (this.#show(line, ':')) this.shown++
    this.#after = this.#context
  }

  #show({ number, text }: OutputLine, mark: ':' | '-'): boolean {
    if (this.#room <= 0) return false
    if (this.#context > 0 && this.#last > 0 && number > this.#last + 1) this.#shown.push('--')
    const said = `${number}${mark}${text}`.slice(0, this.#room)
    this.#shown.push(said)
    this.#room -= said.length + 1
    this.#last = number
    return true
  }
}
