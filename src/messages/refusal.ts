import type { Refusal, RequestProblem } from '../base/refusal.ts'
import type { Enforcement, Failure, Mode } from '../base/types.ts'
import { visible } from '../base/visible.ts'
import { describeAuditFailure } from './audit.ts'
import { describeConfigProblem } from './config.ts'
import { type HintReader, remedies } from './denials.ts'
import { describeNoDocker, describeNoEngine, describeOutside, noTerminalInContainer } from './docker.ts'
import { describeNoLimits } from './limits.ts'
import {
  describeBatchFile,
  describeNoLauncher,
  describeNoTerminal,
  describeOtherPlatform,
} from './platform.ts'
import { describeDenied, describeNotApproved } from './policy.ts'

const writableState = 'XDG_STATE_HOME or TMPDIR to a directory that can be written to'

/** Says why nothing ran, and what to do. */
export function describeRefusal(refusal: Refusal, reader: HintReader = 'user'): string {
  switch (refusal.code) {
    case 'INVALID_REQUEST':
      return `${describeRequestProblem(refusal.problem, reader)} Nothing ran.`
    case 'CONFIG_INVALID':
      return describeConfigProblem(refusal)
    case 'SANDBOX_UNAVAILABLE':
      if (refusal.for === 'limits') return describeNoLimits(refusal)
      if (refusal.for === 'launcher') return describeNoLauncher(refusal)
      if (refusal.for === 'docker') return describeNoDocker(refusal)
      if (refusal.for === 'engine') return describeNoEngine(refusal)
      if (refusal.platform !== undefined) return describeOtherPlatform(refusal.platform)
      return `Read mode needs ${refusal.wanted}; this host: ${refusal.got}. Nothing ran. To have read mode: ${refusal.remedy}. Write mode runs commands without a sandbox.`
    case 'WRITE_MODE_REQUIRED':
      return `The sandbox is switched off ([shell] sandbox = false${refusal.setBy === undefined ? '' : `, set by ${visible(refusal.setBy)}`}), so shell commands require write mode. Nothing ran. Switch to write mode, or set sandbox = true.`
    case 'SPAWN_FAILED':
      return describeSpawnFailure(refusal)
    case 'DENIED':
      return describeDenied(refusal.decision)
    case 'NOT_APPROVED':
      return describeNotApproved(refusal.decision, refusal.setBy)
    case 'AUDIT_FAILED':
      return describeAuditFailure(refusal)
  }
}

/** Why a command that ran has no plain result. */
export function describeListenerFailure(said: string): string {
  return `onOutput failed (${said}), so the command was ended. Its result is on this error as "result".`
}

function describeRequestProblem(problem: RequestProblem, reader: HintReader): string {
  const forTool = reader === 'tool'
  switch (problem.kind) {
    case 'blank-command':
      if (forTool) return 'The command is empty: give a shell line.'
      return 'The command is empty: give a shell line as "command", or a program and its arguments as "argv".'
    case 'command-and-argv':
      return 'Give either "command" (a shell line) or "argv" (no shell), not both.'
    case 'nul-byte':
      return `"${problem.field}" contains a NUL byte, which no program can be given.`
    case 'too-long':
      return `"${problem.field}" is ${problem.bytes} bytes long; the kernel takes at most ${problem.limit} in one argument. ${forTool ? 'Split it into several shorter commands' : 'Put the script into a file, or give it as stdin to "sh"'}.`
    case 'wrong-type':
    case 'out-of-range':
      return `"${problem.field}" must be ${problem.wanted}, not ${problem.got}.`
    case 'unknown-option':
      return problem.nearest === undefined
        ? `"${problem.field}" is no option.`
        : `"${problem.field}" is no option; did you mean "${problem.nearest}"?`
    case 'unreadable':
      return `"${problem.field}" cannot be read: looking at it threw "${problem.reason}".`
    case 'cwd':
      return describeDirectoryProblem(problem, forTool)
    case 'unsavable':
      return `Nothing can be saved under ${JSON.stringify(problem.name)} (${problem.reason}). ${forTool ? 'Leave scratchpad out, or ask the user to set' : 'Set'} ${writableState}.`
    case 'cwd-outside':
      return describeOutside(problem.path, problem.workspace)
    case 'batch-file':
      return describeBatchFile(problem.name)
    case 'no-terminal':
      return problem.backend === 'docker' ? noTerminalInContainer : describeNoTerminal()
    case 'shell-closed':
      return 'This shell has been closed: open another one.'
    case 'usage':
      return problem.detail
  }
}

function describeDirectoryProblem(
  problem: Extract<RequestProblem, { kind: 'cwd' }>,
  forTool: boolean,
): string {
  const { reason } = problem
  const path = visible(problem.path)
  switch (reason) {
    case 'deleted':
      if (forTool) return 'The working directory does not exist any more: name another one with cwd.'
      return 'The current directory does not exist any more: change to another one (cd), or name one (--cwd, or `cwd` of the call).'
    case 'missing':
      return `The directory ${path} does not exist.`
    case 'not-a-directory':
      return `${path} is not a directory, so no command can run in it.`
    case 'unreadable':
      return `The directory ${path} cannot be entered: permission denied.`
    case 'unanswered':
      return `The file system of the directory ${path} does not answer. Run the command in another directory, or see to what it is mounted from (a network, a FUSE program).`
  }
}

function describeSpawnFailure(failure: Extract<Refusal, { code: 'SPAWN_FAILED' }>): string {
  const { step, errno } = failure
  const program = visible(failure.program)
  if (step === 'exec' && errno === 'ENOENT') return `${program}: not found.`
  if (step === 'exec' && errno === 'EACCES') return `${program}: not executable.`
  if (step === 'exec' && errno === 'E2BIG')
    return `${program}: the arguments and the environment are larger than the kernel takes. Nothing ran. Pass the data through stdin or a file.`
  if (step === 'exec' && errno === 'ENOEXEC')
    return `${program}: not a program: no known format, and no #! line. Nothing ran. Run it with its interpreter.`
  if (step === 'core dumps')
    return `${program} could not be started: its core dumps would leave read mode (${errno}), for kernel.core_pattern has changed. Nothing ran. Ask "vitrine doctor".`
  if (step === 'landlock ruleset' && errno === 'E2BIG')
    return `${program} could not be started: what [shell] unreadable and reads keep from being read stands beside more than 250,000 files. Nothing ran. Keep whole directories instead of single files in large ones, or shorten the setting.`
  return `${program} could not be started: step "${step}" failed with ${errno}. Nothing ran.`
}

/** Whether another try makes sense, and how. */
export function adviceFor(kind: Failure['kind'], reader: HintReader): Omit<Failure, 'kind'> {
  switch (kind) {
    case 'timeout':
      return {
        retryable: true,
        advice: `Ask for less at once, or give a larger ${reader === 'tool' ? 'timeout_ms' : 'timeout'}.`,
      }
    case 'limit':
      return { retryable: true, advice: 'Ask for less output: filter it, or write it in parts.' }
    case 'permission-denied':
      return { retryable: false, advice: 'The same command will be refused again: take another way.' }
    case 'not-found':
      return { retryable: false, advice: 'The program is not there: use another one, or its full path.' }
    case 'signal':
      return { retryable: false, advice: 'A signal ended the command: look at its output for the cause.' }
    case 'non-zero':
      return { retryable: false, advice: 'The command ended with an error of its own: read its output.' }
  }
}

/** For a command that timed out at the maximum. */
export const atMostTime = 'Ask for less at once: a larger timeout needs a larger [shell] max_timeout_ms.'

/** @param asked milliseconds, over the maximum */
export function loweredTimeoutHint(asked: number, most: number): string {
  return `The timeout of ${asked} ms was lowered to the maximum, ${most} ms ([shell] max_timeout_ms).`
}

/** One sentence on what to do about a refusal that no report is about. */
export function hintFor(
  mode: Mode,
  failure: Failure | undefined,
  reports: Enforcement[string] | undefined,
  reader: HintReader,
): string | undefined {
  if (mode !== 'read' || failure?.kind !== 'permission-denied') return undefined
  const { write } = remedies[reader]
  if (reports?.enforced)
    return `Read mode has no refusal to report: this user may lack the permission, and then write mode does not help; if not, and a change is meant, ${write}.`
  return `Read mode refuses every change outside the command; if this one is meant, ${write}.`
}

/** The command was ended because the place for its output is full, or fails. */
export function unsavedHint(reason: string, reader: HintReader): string {
  const remedy =
    reader === 'tool'
      ? 'Ask for less output, or ask the user to make room where outputs are saved'
      : 'Make room where outputs are saved (vitrine scratchpad clear), or set XDG_STATE_HOME to another place'
  return `Saving the output failed (${reason}), so the command was ended. ${remedy}.`
}

/** Stands between the head and the tail of output that is not shown whole. */
export function omittedLine(bytes: number, notSaved?: string): string {
  const why = notSaved === undefined ? '' : ` and not saved (${notSaved})`
  return `\n[... ${bytes} bytes left out${why} ...]\n`
}

/** Only head and tail of the output are left. */
export function notSavedHint(reason: string, reader: HintReader): string {
  const remedy =
    reader === 'tool'
      ? `Ask for less, or ask the user to set ${writableState}`
      : `Set ${writableState}, or ask for less`
  return `The output is too long to show whole, and could not be saved (${reason}). ${remedy}.`
}

/** Stands before output that could not be stored. */
export function unsavedLine(bytes: number, reason: string, how: 'whole' | 'in base64'): string {
  return `\n[the last ${bytes} bytes could not be saved (${reason}); they follow ${how}]\n`
}
