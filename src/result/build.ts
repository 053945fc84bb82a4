import { isUtf8 } from 'node:buffer'
import type { Limits, ProcessEnd } from '../launch/launch.ts'
import type { Collected } from '../output/collect.ts'
import type { View } from '../output/window.ts'
import type { Saved } from '../scratchpad/save.ts'
import type { SupervisedEnd } from '../supervise/supervise.ts'
import { decode } from '../text.ts'
import { adviceFor, hintFor, omittedLine, unsavedLine } from './explain.ts'
import { denialHint, type Temporary } from './explain-denials.ts'
import { lostAdvice, lostHint } from './explain-docker.ts'
import { limitAdvice, openFilesHint } from './explain-limits.ts'
import { readsHint, unsearchedNote } from './explain-reads.ts'
import type { Backend, Decision, Enforcement, Failure, Limit, Mode, Outcome, Result } from './result.ts'

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
  readonly backend: Backend
  readonly limits: Limits | null
  readonly enforcement: Enforcement
  readonly decision: Decision
  readonly temporary: Temporary
  /** What the interpreter makes of the line, when nothing weightier is to be said. */
  readonly hint: string | undefined
}

/** Puts the parts together. */
export function buildResult(parts: ResultParts): Result {
  const { ended, collected, saved, mode } = parts
  const outcome = outcomeOf(parts)
  const texts = textsOf(parts)
  const { denials } = ended.end
  const errors = texts.stderr || texts.output
  const exitCode = ended.end.kind === 'exited' ? ended.end.code : null
  const noFiles = openFilesHint(parts.limits, exitCode, errors)
  const { lost } = ended.end
  const failure = noFiles
    ? { kind: 'limit' as const, ...limitAdvice('open_files') }
    : failureOf(outcome, denials.length > 0, errors, lost)
  const enforcement = enforcementOf(parts)
  const hint =
    noFiles ??
    (lost === undefined ? undefined : lostHint(lost)) ??
    denialHint({
      denials,
      networkIsShut: enforcement['network']?.enforced === true,
      temporary: parts.temporary,
      errors,
      succeeded: outcome.kind === 'exited' && outcome.code === 0,
    }) ??
    // In a container nothing that was asked for is kept from being read: what is not there is not there.
    (parts.backend === 'local' ? readsHint(enforcement, failure) : undefined) ??
    hintFor(mode, failure, enforcement['denial reports']) ??
    parts.hint
  return {
    ...texts,
    exitCode,
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
    ...(outcome.kind === 'limited' && { limited: outcome.limit }),
    denials,
    ...(hint === undefined ? {} : { hint }),
    ...(saved.scratchpad && { scratchpad: saved.scratchpad }),
    ...(failure === undefined ? {} : { failure }),
    mode,
    backend: parts.backend,
    enforcement,
    decision: parts.decision,
    outcome,
  }
}

/** What holds for this command: the search for names may have ended before everything was seen. */
function enforcementOf({ enforcement, ended }: ResultParts): Enforcement {
  const { unreadable } = enforcement
  if (!ended.end.unsearched || !unreadable) return enforcement
  return { ...enforcement, unreadable: { ...unreadable, note: unsearchedNote } }
}

function outcomeOf({ ended, timeoutMs, collected, saved, maxBytes, limits }: ResultParts): Outcome {
  // The core names a limit only when that came first: what it was told to end before is not limited.
  const { limited } = ended.end
  if (limited) return { kind: 'limited', limit: limited, value: configuredOf(limited, limits) }
  switch (ended.cause) {
    case 'deadline':
      return { kind: 'timed-out', afterMs: timeoutMs }
    case 'abort':
    case 'closed':
    case 'listener':
      return { kind: 'cancelled' }
    case 'output-limit':
      return { kind: 'output-limit', limit: saved.unsaved ? collected.bytes : maxBytes }
    case undefined:
      return ended.end.kind === 'exited'
        ? { kind: 'exited', code: ended.end.code }
        : { kind: 'signalled', signal: ended.end.signal }
  }
}

function configuredOf(limit: Limit, limits: Limits | null): number {
  switch (limit) {
    case 'memory':
      return limits?.memoryBytes ?? 0
    case 'cpu':
      return limits?.cpuSeconds ?? 0
    case 'processes':
      return limits?.processes ?? 0
    case 'private_tmp':
      return limits?.privateTmpBytes ?? 0
  }
}

function backgroundOf({ survivors }: ResultParts['ended']['end']): Pick<Result, 'background'> {
  return survivors.alive > 0 ? { background: { count: survivors.alive, group: survivors.group } } : {}
}

function textsOf({
  collected,
  saved,
  inlineChars,
}: ResultParts): Pick<Result, 'output' | 'stdout' | 'stderr' | 'omittedBytes'> {
  const shown = shownOf(collected.output, inlineChars)
  return {
    output: saved.unsaved ? withUnsaved(shown.text, saved) : shown.text,
    omittedBytes: saved.unsaved ? 0 : shown.omittedBytes,
    stdout: shownOf(collected.stdout, inlineChars).text,
    stderr: shownOf(collected.stderr, inlineChars).text,
  }
}

/** What could not be saved is shown whole, however long: what was saved and this are all of the output. */
function withUnsaved(text: string, { unsaved, scratchpad }: Saved): string {
  if (!unsaved) return text
  const shown = scratchpad ? text : ''
  const { bytes, reason } = unsaved
  const isText = isUtf8(bytes)
  const line = unsavedLine(bytes.length, reason, isText ? 'whole' : 'in base64')
  return `${shown}${line}${isText ? decode(bytes) : bytes.toString('base64')}`
}

interface Shown {
  readonly text: string
  readonly omittedBytes: number
}

/** Everything when it fits, else its head and tail with a line between them that says what is left out. */
function shownOf(view: View, inlineChars: number): Shown {
  const whole = view.omitted === 0
  if (whole) {
    const text = decode(view.head)
    if (text.length <= inlineChars) return { text, omittedBytes: 0 }
  }
  const half = Math.floor(inlineChars / 2)
  const first = headOf(view.head, half)
  const last = tailOf(whole ? view.head : view.tail, half)
  const omittedBytes = view.head.length + view.tail.length + view.omitted - first.length - last.length
  const mark = omittedLine(omittedBytes)
  const head = decode(first)
  return { text: `${head}${head.endsWith('\n') ? mark.slice(1) : mark}${decode(last)}`, omittedBytes }
}

/** The first characters, up to the end of a line. */
function headOf(bytes: Buffer, characters: number): Buffer {
  const text = decode(bytes, { end: true })
  const shown = text.slice(0, characters).replace(/[\uD800-\uDBFF]$/, '')
  const cut = bytes.subarray(0, lengthIn(bytes, text, shown))
  const bound = cut.lastIndexOf('\n') + 1
  return isWorthCutting(bound, cut.length) ? cut.subarray(0, bound) : cut
}

/** The last characters, from the beginning of a line. */
function tailOf(bytes: Buffer, characters: number): Buffer {
  const text = decode(bytes, { start: true })
  const shown = (characters > 0 ? text.slice(-characters) : '').replace(/^[\uDC00-\uDFFF]/, '')
  const cut = bytes.subarray(bytes.length - lengthIn(bytes, text, shown))
  const bound = cut.indexOf('\n') + 1
  return isWorthCutting(cut.length - bound, cut.length) ? cut.subarray(bound) : cut
}

/**
 * Bytes of a part of the text. A byte that is no UTF-8 became a replacement character of three: then no character has a
 * length of its own, and bytes are counted instead.
 */
function lengthIn(bytes: Buffer, text: string, part: string): number {
  return Buffer.byteLength(text) > bytes.length ? part.length : Buffer.byteLength(part)
}

/** A bound that leaves less than half is none: a very long line is shown in part. */
function isWorthCutting(left: number, length: number): boolean {
  return left < length && left * 2 >= length
}

/** The words of strerror(3) for the errors that a refusal gives: a guess, where no report says more. */
const refusalWords =
  /permission denied|read-only file system|operation not permitted|access denied|\b(EACCES|EPERM|EROFS)\b/i

function failureOf(
  outcome: Outcome,
  wasRefused: boolean,
  errors: string,
  lost: string | undefined,
): Failure | undefined {
  if (lost !== undefined) return { kind: 'signal', retryable: true, advice: lostAdvice }
  const kind = failureKind(outcome, wasRefused || refusalWords.test(errors))
  if (outcome.kind === 'limited') return { kind: 'limit', ...limitAdvice(outcome.limit) }
  return kind === undefined ? undefined : { kind, ...adviceFor(kind) }
}

function failureKind(outcome: Outcome, wasRefused: boolean): Failure['kind'] | undefined {
  switch (outcome.kind) {
    case 'timed-out':
      return 'timeout'
    case 'output-limit':
    case 'limited':
      return 'limit'
    case 'cancelled':
      return undefined
    case 'signalled':
      return 'signal'
    case 'exited':
      if (outcome.code === 0) return undefined
      if (outcome.code === 127) return 'not-found'
      return outcome.code === 126 || wasRefused ? 'permission-denied' : 'non-zero'
  }
}
