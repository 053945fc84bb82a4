import { carrying, type RefusalHint } from '../base/hint.ts'
import { programName } from '../base/process.ts'
import type { AnyResult, Enforcement, Failure, Limit, Listening, Outcome } from '../base/types.ts'
import type { Limits } from '../launch/launch.ts'
import { limitAdvice, openFilesHint } from '../messages/limits.ts'
import { unsearchedNote } from '../sandbox/reads/unread.ts'
import type { Finished } from './execution.ts'
import { errorsOf, streamsOf } from './shown.ts'

const none: readonly Listening[] = []

/** What a result says of how the command ended. */
export interface Judged {
  readonly outcome: Outcome
  /** What the command said of errors. */
  readonly errors: string
  readonly enforcement: Enforcement
  /** The hint at the limit on open files, where it was in the way. */
  readonly noFiles: string | undefined
  readonly failure: Failure | undefined
}

export interface Hint {
  readonly hint: string | undefined
  /** What it says, if it is about refusals. */
  readonly refused?: RefusalHint | undefined
}

export function buildResult(finished: Finished, judged: Judged, { hint, refused }: Hint): AnyResult {
  const { execution, setup, end, collected, saved, connections } = finished
  const { request, mode, admission, context } = execution
  const { outcome, failure, enforcement } = judged
  const { output, stdout, stderr, omittedBytes, truncated } = streamsOf(collected, saved, finished.shown)
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
    durationMs: finished.durationMs,
    bytes: collected.bytes,
    binary: collected.binary,
    timeoutMs: request.timeoutMs,
    survivorsKilled: end.survivors.killed,
    denials: end.denials,
    listening: end.listening ?? none,
    handoffs: finished.handoffs,
    mode,
    backend: context.config.shell.backend,
    enforcement,
    decision: admission.decision,
    outcome,
    ...(setup.workspace === undefined ? {} : { workspace: setup.workspace }),
    ...backgroundOf(end),
    ...(outcome.kind === 'limited' && { limited: outcome.limit }),
    ...(connections && { connections }),
    ...(hint === undefined ? {} : { hint }),
    ...(refused && carrying(refused)),
    ...(saved.scratchpad && { scratchpad: saved.scratchpad }),
    ...(failure === undefined ? {} : { failure }),
  }
}

export function judge(finished: Finished): Judged {
  const { setup, end, collected } = finished
  const outcome = outcomeOf(finished)
  const errors = errorsOf(collected)
  const noFiles = openFilesHint(setup.limits, end.kind === 'exited' ? end.code : null, errors)
  const failure: Failure | undefined = noFiles
    ? { kind: 'limit', ...limitAdvice('open_files') }
    : failureOf(finished, outcome, errors)
  return { outcome, errors, enforcement: enforcementOf(finished), noFiles, failure }
}

/** It ended well, and nothing was lost or refused: there is nothing to explain. */
export function isPlain({ end, saved }: Finished, { outcome, noFiles }: Judged): boolean {
  const isLost = saved.notSaved !== undefined || saved.unsaved !== undefined || end.lost !== undefined
  const succeeded = outcome.kind === 'exited' && outcome.code === 0
  if (!succeeded || isLost || isUntold(end.survivors)) return false
  return end.denials.length === 0 && noFiles === undefined && end.containerMemory === undefined
}

/** The launcher did not report in time: which processes are left is not known. */
export function isUntold({ alive, group }: Finished['end']['survivors']): boolean {
  return alive > 0 && group === 0
}

/** Notes if the search for unreadable names ended before it saw everything, and if the private directory is still there. */
function enforcementOf({ setup, end, tmpNote: note }: Finished): Enforcement {
  const { unreadable } = setup.enforcement
  if (!(end.unsearched && unreadable) && note === undefined) return setup.enforcement
  return {
    ...setup.enforcement,
    ...(end.unsearched && unreadable && { unreadable: { ...unreadable, note: unsearchedNote } }),
    ...(note !== undefined && { 'private tmp': { enforced: false, by: 'none', note } }),
  }
}

function outcomeOf(finished: Finished): Outcome {
  const { execution, end, setup, collected, saved } = finished
  const { request, context } = execution
  // The launcher reports a limit only if it was the first cause.
  const { limited, containerMemory } = end
  if (limited && containerMemory !== undefined)
    return { kind: 'limited', limit: limited, value: containerMemory, container: true }
  if (limited) return { kind: 'limited', limit: limited, value: configuredOf(limited, setup.limits) }
  switch (finished.cause) {
    case 'deadline':
      return { kind: 'timed-out', afterMs: request.timeoutMs }
    case 'cancelled':
      return { kind: 'cancelled' }
    case 'output-limit': {
      const limit = saved.unsaved ? collected.bytes : context.config.output.max_bytes
      return { kind: 'output-limit', limit }
    }
    case undefined:
      return end.kind === 'exited'
        ? { kind: 'exited', code: end.code }
        : { kind: 'signalled', signal: end.signal }
  }
}

/** The limit of `epoll_watches` is the kernel's, not the configuration's. */
function configuredOf(limit: Limit, limits: Limits | null): number {
  const values = {
    memory: limits?.memoryBytes,
    cpu: limits?.cpuSeconds,
    processes: limits?.processes,
    private_tmp: limits?.privateTmpBytes,
    epoll_watches: 0,
  }
  return values[limit] ?? 0
}

function backgroundOf({ survivors }: Finished['end']): Pick<AnyResult, 'background'> {
  const { alive, group, left = [] } = survivors
  if ((alive === 0 && left.length === 0) || isUntold(survivors)) return {}
  const named = left.map((pid) => ({ pid, program: programName(pid) }))
  return { background: { count: alive, group, ...(named.length > 0 && { left: named }) } }
}

const advice = {
  'output-limit': 'Produce less output: filter it, or print it in parts.',
  'permission-denied': 'The same command will be refused again. Try another approach.',
  'not-found': 'The program was not found. Use another one, or its full path.',
  signal: 'A signal ended the command. Check its output for the cause.',
  'non-zero': 'The command itself failed. Read its output.',
} as const

export const atMostTime = 'Do less at once; a larger timeout needs a larger [shell] max_timeout_ms.'

/** What an agent can do about it: whether another try makes sense. */
function failureOf({ execution, end }: Finished, outcome: Outcome, errors: string): Failure | undefined {
  const { options, request } = execution
  const { hintFor: reader = 'user' } = options
  if (end.lost !== undefined) {
    const remedy =
      reader === 'user'
        ? 'make sure that the engine runs, then try again'
        : 'try again; if that fails too, tell the user'
    return {
      kind: 'signal',
      retryable: true,
      advice: `The Docker engine or the container is gone: ${remedy}.`,
    }
  }
  switch (outcome.kind) {
    case 'timed-out': {
      const more = `Do less at once, or set a larger ${reader === 'user' ? 'timeout' : 'timeout_ms'}.`
      const said = request.loweredFromMs === undefined ? more : atMostTime
      return { kind: 'timeout', retryable: true, advice: said }
    }
    case 'limited':
      return { kind: 'limit', ...limitAdvice(outcome.limit) }
    case 'output-limit':
      return { kind: 'limit', retryable: true, advice: advice['output-limit'] }
    case 'cancelled':
      return undefined
    case 'signalled':
      return { kind: 'signal', retryable: false, advice: advice.signal }
    case 'exited': {
      const kind = failedKind(outcome.code, end.denials.length > 0, errors)
      return kind && { kind, retryable: false, advice: advice[kind] }
    }
  }
}

/** Texts of strerror(3) for errors of a denied call: a guess if nothing was reported. */
export const permissionWords = /permission denied|operation not permitted|access denied|\b(EACCES|EPERM)\b/i

const readOnlyWords = /read-only file system|\bEROFS\b/i

function failedKind(code: number, wasRefused: boolean, errors: string) {
  if (code === 0) return undefined
  if (code === 127) return 'not-found'
  const isRefused = code === 126 || wasRefused || permissionWords.test(errors) || readOnlyWords.test(errors)
  return isRefused ? 'permission-denied' : 'non-zero'
}
