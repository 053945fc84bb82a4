import type { ProcessEnd } from '../launch/launch.ts'
import type { Collected } from '../output/collect.ts'
import { decode } from '../output/decode.ts'
import type { View } from '../output/window.ts'
import type { Saved } from '../scratchpad/save.ts'
import type { SupervisedEnd } from '../supervise/supervise.ts'
import { adviceFor, hintFor, omittedLine, unsavedLine } from './explain.ts'
import type { Decision, Enforcement, Failure, Mode, Outcome, Result } from './result.ts'

/** Everything a result is made of. */
export interface ResultParts {
  readonly ended: SupervisedEnd & { readonly end: Exclude<ProcessEnd, { kind: 'failed' }> }
  readonly collected: Collected
  readonly saved: Saved
  readonly inlineChars: number
  readonly maxBytes: number
  readonly durationMs: number
  readonly timeoutMs: number
  readonly mode: Mode
  readonly enforcement: Enforcement
  readonly decision: Decision
}

/** Puts the parts together. */
export function buildResult(parts: ResultParts): Result {
  const { ended, collected, saved, mode } = parts
  const outcome = outcomeOf(parts)
  const texts = textsOf(parts)
  const failure = failureOf(outcome, texts.stderr || texts.output)
  const hint = hintFor(mode, failure)
  return {
    ...texts,
    exitCode: ended.end.kind === 'exited' ? ended.end.code : null,
    signal: ended.end.kind === 'signalled' ? ended.end.signal : null,
    timedOut: outcome.kind === 'timed-out',
    cancelled: outcome.kind === 'cancelled',
    outputLimited: outcome.kind === 'output-limit',
    durationMs: parts.durationMs,
    bytes: collected.bytes,
    binary: collected.binary,
    timeoutMs: parts.timeoutMs,
    survivorsKilled: ended.end.survivors.killed,
    ...backgroundOf(ended.end),
    denials: [],
    ...(hint === undefined ? {} : { hint }),
    ...(saved.scratchpad && { scratchpad: saved.scratchpad }),
    ...(failure === undefined ? {} : { failure }),
    mode,
    backend: 'local',
    enforcement: parts.enforcement,
    decision: parts.decision,
    outcome,
  }
}

function outcomeOf({ ended, timeoutMs, collected, saved, maxBytes }: ResultParts): Outcome {
  switch (ended.cause) {
    case 'deadline':
      return { kind: 'timed-out', afterMs: timeoutMs }
    case 'abort':
    case 'closed':
      return { kind: 'cancelled' }
    case 'output-limit':
      return { kind: 'output-limit', limit: saved.unsaved ? collected.bytes : maxBytes }
    case undefined:
      return ended.end.kind === 'exited'
        ? { kind: 'exited', code: ended.end.code }
        : { kind: 'signalled', signal: ended.end.signal }
  }
}

function backgroundOf({ survivors }: ResultParts['ended']['end']): Pick<Result, 'background'> {
  return survivors.alive > 0 ? { background: { count: survivors.alive, group: survivors.group } } : {}
}

function textsOf({ collected, saved, inlineChars }: ResultParts): Pick<Result, 'output' | 'stdout' | 'stderr'> {
  return {
    output: saved.unsaved ? withUnsaved(collected, saved, inlineChars) : textOf(collected.output, inlineChars),
    stdout: textOf(collected.stdout, inlineChars),
    stderr: textOf(collected.stderr, inlineChars),
  }
}

/** What could not be saved is shown whole, however long: what was saved and this are all of the output. */
function withUnsaved({ output }: Collected, { unsaved, scratchpad }: Saved, inlineChars: number): string {
  if (!unsaved) return ''
  const shown = scratchpad ? textOf(output, inlineChars) : ''
  return `${shown}${unsavedLine(unsaved.bytes.length, unsaved.reason)}${decode(unsaved.bytes)}`
}

/** Everything when it fits, else its head and tail with a line between them that says what is left out. */
function textOf(view: View, inlineChars: number): string {
  const whole = view.omitted === 0
  const head = decode(view.head, { end: !whole })
  if (whole && head.length <= inlineChars) return head
  const half = Math.floor(inlineChars / 2)
  const tail = whole ? head : decode(view.tail, { start: true })
  const first = wholeCharacters(head.slice(0, half), 'end')
  const last = wholeCharacters(half > 0 ? tail.slice(-half) : '', 'start')
  const shownBytes = Buffer.byteLength(first) + Buffer.byteLength(last)
  const total = view.head.length + view.tail.length + view.omitted
  return `${first}${omittedLine(total - shownBytes)}${last}`
}

/** A slice may have cut a surrogate pair in two. */
function wholeCharacters(text: string, edge: 'start' | 'end'): string {
  if (edge === 'end') return /[\uD800-\uDBFF]$/.test(text) ? text.slice(0, -1) : text
  return /^[\uDC00-\uDFFF]/.test(text) ? text.slice(1) : text
}

/** The words of strerror(3) for the errors that a refusal gives. */
const refusalWords =
  /permission denied|read-only file system|operation not permitted|access denied|\b(EACCES|EPERM|EROFS)\b/i

function failureOf(outcome: Outcome, errors: string): Failure | undefined {
  const kind = failureKind(outcome, errors)
  return kind === undefined ? undefined : { kind, ...adviceFor(kind) }
}

function failureKind(outcome: Outcome, errors: string): Failure['kind'] | undefined {
  switch (outcome.kind) {
    case 'timed-out':
      return 'timeout'
    case 'output-limit':
      return 'limit'
    case 'cancelled':
      return undefined
    case 'signalled':
      return 'signal'
    case 'exited':
      if (outcome.code === 0) return undefined
      if (outcome.code === 127) return 'not-found'
      return outcome.code === 126 || refusalWords.test(errors) ? 'permission-denied' : 'non-zero'
  }
}
