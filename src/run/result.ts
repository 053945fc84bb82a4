import { carrying, type HintReader, type RefusalHint } from '../base/hint.ts'
import { programName } from '../base/process.ts'
import type {
  AnyResult,
  Backend,
  Connection,
  Decision,
  Encoding,
  Enforcement,
  Failure,
  Handoff,
  Limit,
  Listening,
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
  outputLimitHint,
  partlySavedHint,
  unsavedHint,
  untoldEndHint,
} from '../messages/refusal.ts'
import { unreadPath } from '../sandbox/reads/unread.ts'
import type { Reads } from '../sandbox/sandbox.ts'
import type { Ended } from './execution.ts'
import { type OwnSockets, refusalHint, type TemporaryDirectory, type WorkspaceOffer } from './refusal-hint.ts'
import { bytesOf, errorsOf, type OutputParts, type Saved, textsOf } from './shown.ts'

export interface ResultParts extends OutputParts {
  readonly ended: Pick<Ended, 'cause'> & { readonly end: Exclude<ProcessEnd, { kind: 'failed' }> }
  readonly handoffs: readonly Handoff[]
  /** Undefined: the network is no list of hosts. */
  readonly connections: readonly Connection[] | undefined
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
  /** Workspace mode: the directory that is the workspace. */
  readonly root: string | undefined
  readonly decision: Decision
  readonly temporary: TemporaryDirectory
  readonly workspace: WorkspaceOffer
  readonly ownSockets: OwnSockets
  readonly reads: Reads
  /** One program ran, without a shell. */
  readonly single: boolean
  readonly hintFor: HintReader
  /** The interpreter's hint at the line: behind a hint at what happened. */
  readonly hint: string | undefined
}

const none: readonly Listening[] = []

export function buildResult(parts: ResultParts): AnyResult {
  const { collected, saved, mode } = parts
  const { end } = parts.ended
  const judged = judge(parts)
  const { outcome, failure, enforcement } = judged
  const { hint, refused } = hintOf(parts, judged)
  const { output, stdout, stderr, omittedBytes, truncated } =
    parts.encoding === 'buffer' ? bytesOf(parts) : textsOf(parts)
  // Spread fields last: V8 makes an object slowly that has others behind them.
  return {
    output,
    stdout,
    stderr,
    omittedBytes,
    truncated,
    exitCode: end.kind === 'exited' ? end.code : null,
    signal: end.kind === 'signalled' ? end.signal : null,
    timedOut: outcome.kind === 'timed-out',
    cancelled: outcome.kind === 'cancelled',
    outputLimited: outcome.kind === 'output-limit',
    durationMs: parts.durationMs,
    bytes: collected.bytes,
    binary: collected.binary,
    timeoutMs: parts.timeoutMs,
    survivorsKilled: end.survivors.killed,
    denials: end.denials,
    listening: end.listening ?? none,
    handoffs: parts.handoffs,
    mode,
    backend: parts.backend,
    enforcement,
    decision: parts.decision,
    outcome,
    ...(parts.root === undefined ? {} : { workspace: parts.root }),
    ...backgroundOf(end),
    ...(outcome.kind === 'limited' && { limited: outcome.limit }),
    ...(parts.connections && { connections: parts.connections }),
    ...(hint === undefined ? {} : { hint }),
    ...(refused && carrying(refused)),
    ...(saved.scratchpad && { scratchpad: saved.scratchpad }),
    ...(failure === undefined ? {} : { failure }),
  }
}

interface Judged {
  readonly outcome: Outcome
  /** What the command said of errors. */
  readonly errors: string
  readonly enforcement: Enforcement
  /** The hint at the limit on open files, where it was in the way. */
  readonly noFiles: string | undefined
  readonly failure: Failure | undefined
}

function judge(parts: ResultParts): Judged {
  const { end } = parts.ended
  const outcome = outcomeOf(parts)
  const errors = errorsOf(parts.collected)
  const noFiles = openFilesHint(parts.limits, end.kind === 'exited' ? end.code : null, errors)
  const failure: Failure | undefined = noFiles
    ? { kind: 'limit', ...limitAdvice('open_files') }
    : failureOf(parts, outcome, errors)
  return { outcome, errors, enforcement: enforcementOf(parts), noFiles, failure }
}

/** The most important hint; and what it says, if it is about refusals. */
function hintOf(
  parts: ResultParts,
  judged: Judged,
): { readonly hint: string | undefined; readonly refused?: RefusalHint | undefined } {
  const { mode, hintFor: reader } = parts
  const { outcome, errors, enforcement, failure } = judged
  const lost = lossHint(parts, judged)
  if (lost !== undefined) return { hint: joined(lost, parts.hint) }
  const refused = refusalHintOf(parts, outcome, errors)
  const hint =
    (refused && describeHint(refused, reader)) ??
    // A container denies no reads: a path that is not mounted does not exist.
    (parts.backend === 'local'
      ? readsHint(mode, enforcement, failure, reader, unreadPath(errors, parts.temporary.cwd, parts.reads))
      : undefined) ??
    unreportedHint(parts, judged) ??
    timeoutHint(parts, outcome)
  return { hint: joined(hint, parts.hint), refused }
}

function joined(...hints: readonly (string | undefined)[]): string | undefined {
  const said = hints.filter((hint) => hint !== undefined)
  return said.length > 0 ? said.join(' ') : undefined
}

/** Nothing where the sandbox has no part: in a file that is not executable, and in a read-only file system where it reports its own refusals. */
function unreportedHint(
  { mode, decision, hintFor: reader }: ResultParts,
  judged: Judged,
): string | undefined {
  const { outcome, errors, failure } = judged
  const reports = judged.enforcement['denial reports']
  if (outcome.kind === 'exited' && outcome.code === 126) return undefined
  // What held it is said where it does not run again.
  if (decision.held) return undefined
  if (reports?.enforced && !permissionWords.test(errors)) return undefined
  return hintFor(mode, failure, reports, reader, errors)
}

/** The command, or its output, lacked something that is worth more than a refusal. */
function lossHint({ ended, saved, hintFor }: ResultParts, { noFiles, outcome }: Judged): string | undefined {
  const { lost, containerMemory } = ended.end
  const saving = noFiles ?? savingHint(saved, outcome, hintFor)
  if (saving !== undefined) return saving
  if (outcome.kind === 'output-limit') return outputLimitHint(hintFor)
  if (lost !== undefined) return lostHint(lost, hintFor)
  if (isUntold(ended.end)) return untoldEndHint
  return containerMemory === undefined ? undefined : containerMemoryHint(containerMemory)
}

function refusalHintOf(parts: ResultParts, outcome: Outcome, errors: string): RefusalHint | undefined {
  const networkIsShut = parts.enforcement['network']?.enforced === true
  const succeeded = outcome.kind === 'exited' && outcome.code === 0
  const { denials } = parts.ended.end
  return refusalHint({ ...parts, denials, networkIsShut, errors, succeeded })
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

/** The launcher did not report in time: which processes are left is not known. */
function isUntold({ survivors }: ResultParts['ended']['end']): boolean {
  return survivors.alive > 0 && survivors.group === 0
}

function backgroundOf(end: ResultParts['ended']['end']): Pick<Result, 'background'> {
  const { alive, group, left = [] } = end.survivors
  if ((alive === 0 && left.length === 0) || isUntold(end)) return {}
  const named = left.map((pid) => ({ pid, program: programName(pid) }))
  return { background: { count: alive, group, ...(named.length > 0 && { left: named }) } }
}

/** Texts of strerror(3) for errors of a denied call: a guess if nothing was reported. */
const permissionWords = /permission denied|operation not permitted|access denied|\b(EACCES|EPERM)\b/i
const readOnlyWords = /read-only file system|\bEROFS\b/i

function failureOf(
  { ended, loweredFromMs, hintFor: reader }: ResultParts,
  outcome: Outcome,
  errors: string,
): Failure | undefined {
  const { denials, lost } = ended.end
  if (lost !== undefined) return { kind: 'signal', retryable: true, advice: lostAdvice(reader) }
  const wasRefused = () => denials.length > 0 || permissionWords.test(errors) || readOnlyWords.test(errors)
  const kind = failureKind(outcome, wasRefused)
  if (kind === 'timeout' && loweredFromMs !== undefined)
    return { ...adviceFor(kind, reader), kind, advice: atMostTime }
  if (outcome.kind === 'limited') return { kind: 'limit', ...limitAdvice(outcome.limit) }
  return kind === undefined ? undefined : { kind, ...adviceFor(kind, reader) }
}

function failureKind(outcome: Outcome, wasRefused: () => boolean): Failure['kind'] | undefined {
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
      return outcome.code === 126 || wasRefused() ? 'permission-denied' : 'non-zero'
  }
}
