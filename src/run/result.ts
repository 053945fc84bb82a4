import { isUtf8 } from 'node:buffer'
import { carrying, type HintReader, type RefusalHint } from '../base/hint.ts'
import { decode } from '../base/text.ts'
import type {
  AnyResult,
  Backend,
  Connection,
  Decision,
  Encoding,
  Enforcement,
  Failure,
  Limit,
  Mode,
  Outcome,
  Result,
} from '../base/types.ts'
import type { Limits, ProcessEnd } from '../launch/launch.ts'
import { lostAdvice, lostHint } from '../messages/docker.ts'
import { describeHint } from '../messages/hints.ts'
import { containerMemoryHint, limitAdvice, openFilesHint } from '../messages/limits.ts'
import { readsHint, unsearchedNote } from '../messages/reads.ts'
import {
  adviceFor,
  atMostTime,
  hintFor,
  loweredTimeoutHint,
  notSavedHint,
  partlySavedHint,
  unsavedHint,
  unsavedLine,
} from '../messages/refusal.ts'
import type { Collected } from './collect.ts'
import { refusalHint, type TemporaryDirectory, type WorkspaceOffer } from './refusal-hint.ts'
import type { Saved } from './save.ts'
import { type ShownOutput, shownBytes, shownText } from './shown.ts'
import type { SupervisedEnd } from './supervise.ts'
import type { View } from './window.ts'

export interface ResultParts {
  readonly ended: SupervisedEnd & { readonly end: Exclude<ProcessEnd, { kind: 'failed' }> }
  /** Undefined: the network is no list of hosts. */
  readonly connections: readonly Connection[] | undefined
  readonly collected: Collected
  readonly saved: Saved
  /** Bytes if `encoding` is `buffer`. */
  readonly inlineChars: number
  readonly encoding: Encoding
  readonly maxBytes: number
  readonly durationMs: number
  readonly timeoutMs: number
  /** The timeout that was asked for, where it is over the maximum. */
  readonly loweredFromMs: number | undefined
  readonly mode: Mode
  readonly backend: Backend
  readonly limits: Limits | null
  readonly enforcement: Enforcement
  readonly decision: Decision
  readonly temporary: TemporaryDirectory
  readonly workspace: WorkspaceOffer
  /** One program ran, without a shell. */
  readonly single: boolean
  readonly hintFor: HintReader
  /** The interpreter's hint, used if there is no more important one. */
  readonly hint: string | undefined
}

export function buildResult(parts: ResultParts): AnyResult {
  const { ended, collected, saved, mode } = parts
  const outcome = outcomeOf(parts)
  const { denials } = ended.end
  const errors = errorsOf(collected)
  const exitCode = ended.end.kind === 'exited' ? ended.end.code : null
  const noFiles = openFilesHint(parts.limits, exitCode, errors)
  const { lost, containerMemory } = ended.end
  const failure = noFiles
    ? { kind: 'limit' as const, ...limitAdvice('open_files') }
    : failureOf(parts, outcome, errors)
  const enforcement = enforcementOf(parts)
  const firstHint =
    noFiles ??
    savingHint(saved, outcome, parts.hintFor) ??
    (lost === undefined ? undefined : lostHint(lost, parts.hintFor)) ??
    (containerMemory === undefined ? undefined : containerMemoryHint(containerMemory))
  const refused = firstHint === undefined ? refusalHintOf(parts, outcome, errors) : undefined
  const hint =
    firstHint ??
    (refused && describeHint(refused, parts.hintFor)) ??
    // A container denies no reads: a path that is not mounted does not exist.
    (parts.backend === 'local' ? readsHint(mode, enforcement, failure, parts.hintFor) : undefined) ??
    hintFor(mode, failure, enforcement['denial reports'], parts.hintFor) ??
    timeoutHint(parts, outcome) ??
    parts.hint
  const { output, stdout, stderr, omittedBytes, truncated } =
    parts.encoding === 'buffer' ? bytesOf(parts) : textsOf(parts)
  // Spread fields last: V8 makes an object slowly that has others behind them.
  return {
    output,
    stdout,
    stderr,
    omittedBytes,
    truncated,
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
    denials,
    mode,
    backend: parts.backend,
    enforcement,
    decision: parts.decision,
    outcome,
    ...backgroundOf(ended.end),
    ...(outcome.kind === 'limited' && { limited: outcome.limit }),
    ...(parts.connections && { connections: parts.connections }),
    ...(hint === undefined ? {} : { hint }),
    ...(refused && carrying(refused)),
    ...(saved.scratchpad && { scratchpad: saved.scratchpad }),
    ...(failure === undefined ? {} : { failure }),
  }
}

function refusalHintOf(parts: ResultParts, outcome: Outcome, errors: string): RefusalHint | undefined {
  const { mode, temporary, workspace, single, enforcement, ended, connections } = parts
  const networkIsShut = enforcement['network']?.enforced === true
  const succeeded = outcome.kind === 'exited' && outcome.code === 0
  const { denials } = ended.end
  return refusalHint({
    mode,
    denials,
    networkIsShut,
    connections,
    temporary,
    workspace,
    errors,
    succeeded,
    single,
  })
}

/** A tool's answer says it in a line of its own, whether the command timed out or not. */
function timeoutHint({ loweredFromMs, timeoutMs, hintFor }: ResultParts, outcome: Outcome) {
  const isDue = outcome.kind === 'timed-out' && loweredFromMs !== undefined && hintFor === 'user'
  return isDue ? loweredTimeoutHint(loweredFromMs, timeoutMs) : undefined
}

/** The hint for unsaved output: failing to store it ended the command or cut its output. */
function savingHint({ notSaved, unsaved }: Saved, outcome: Outcome, reader: HintReader): string | undefined {
  if (notSaved !== undefined) return notSavedHint(notSaved, reader)
  if (!unsaved) return undefined
  return (outcome.kind === 'output-limit' ? unsavedHint : partlySavedHint)(unsaved.reason, reader)
}

/** Notes if the search for unreadable names ended before it saw everything. */
function enforcementOf({ enforcement, ended }: ResultParts): Enforcement {
  const { unreadable } = enforcement
  if (!ended.end.unsearched || !unreadable) return enforcement
  return { ...enforcement, unreadable: { ...unreadable, note: unsearchedNote } }
}

function outcomeOf({ ended, timeoutMs, collected, saved, maxBytes, limits }: ResultParts): Outcome {
  // The launcher reports a limit only if it was the first cause.
  const { limited, containerMemory } = ended.end
  if (limited && containerMemory !== undefined)
    return { kind: 'limited', limit: limited, value: containerMemory, container: true }
  if (limited) return { kind: 'limited', limit: limited, value: configuredOf(limited, limits) }
  switch (ended.cause) {
    case 'deadline':
      return { kind: 'timed-out', afterMs: timeoutMs }
    case 'cancelled':
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
    // The limit is the kernel's, not the configuration's.
    case 'epoll_watches':
      return 0
  }
}

function backgroundOf({ survivors }: ResultParts['ended']['end']): Pick<Result, 'background'> {
  return survivors.alive > 0 ? { background: { count: survivors.alive, group: survivors.group } } : {}
}

type Streams<Output extends string | Buffer> = Pick<
  Result<Output>,
  'output' | 'stdout' | 'stderr' | 'omittedBytes' | 'truncated'
>

function streamsOf<Output extends string | Buffer>(
  collected: Collected,
  show: (view: View) => ShownOutput<Output>,
): Streams<Output> {
  const { output, omittedBytes } = show(collected.output)
  const [stdout, stderr] = [show(collected.stdout), show(collected.stderr)]
  const truncated = omittedBytes + stdout.omittedBytes + stderr.omittedBytes > 0
  return { output, omittedBytes, truncated, stdout: stdout.output, stderr: stderr.output }
}

const errorChars = 30_000

function errorsOf({ stderr, output }: Collected): string {
  return shownText(stderr, errorChars).output || shownText(output, errorChars).output
}

function textsOf({ collected, saved, inlineChars }: ResultParts): Streams<string> {
  const texts = streamsOf(collected, (view) => shownText(view, inlineChars, saved.notSaved))
  const { unsaved, scratchpad } = saved
  if (!unsaved) return texts
  const isText = isUtf8(unsaved.bytes)
  const rest = isText ? decode(unsaved.bytes) : unsaved.bytes.toString('base64')
  const line = unsavedLine(unsaved.bytes.length, unsaved.reason, isText ? 'whole' : 'in base64')
  return { ...texts, output: `${scratchpad ? texts.output : ''}${line}${rest}`, omittedBytes: 0 }
}

function bytesOf({ collected, saved, inlineChars }: ResultParts): Streams<Buffer> {
  const streams = streamsOf(collected, (view) => shownBytes(view, inlineChars, saved.notSaved))
  const { unsaved, scratchpad } = saved
  if (!unsaved) return streams
  const line = Buffer.from(unsavedLine(unsaved.bytes.length, unsaved.reason, 'whole'))
  const shown = scratchpad ? [streams.output, line] : [line]
  return { ...streams, output: Buffer.concat([...shown, unsaved.bytes]), omittedBytes: 0 }
}

/** Texts of strerror(3) for errors of a denied call: a guess if nothing was reported. */
const refusalWords =
  /permission denied|read-only file system|operation not permitted|access denied|\b(EACCES|EPERM|EROFS)\b/i

function failureOf(
  { ended, loweredFromMs, hintFor: reader }: ResultParts,
  outcome: Outcome,
  errors: string,
): Failure | undefined {
  const { denials, lost } = ended.end
  if (lost !== undefined) return { kind: 'signal', retryable: true, advice: lostAdvice(reader) }
  const kind = failureKind(outcome, denials.length > 0 || refusalWords.test(errors))
  if (kind === 'timeout' && loweredFromMs !== undefined)
    return { ...adviceFor(kind, reader), kind, advice: atMostTime }
  if (outcome.kind === 'limited') return { kind: 'limit', ...limitAdvice(outcome.limit) }
  return kind === undefined ? undefined : { kind, ...adviceFor(kind, reader) }
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
