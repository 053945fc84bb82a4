import type { HintReader } from '../base/hint.ts'
import type { AuditFault, Refusal, RequestProblem, Unavailable } from '../base/refusal.ts'
import { bytesText, visible } from '../base/text.ts'
import type { AnyResult, Denial } from '../base/types.ts'
import { describeConfigProblem } from './config.ts'
import { describeFileFailure } from './file.ts'
import { scarcityRemedy } from './limits.ts'
import { describeDenied, describeNotApproved, refusedText } from './policy.ts'

export function describeRefusal(refusal: Refusal, reader: HintReader = 'user'): string {
  switch (refusal.code) {
    case 'INVALID_REQUEST':
      return `${describeRequestProblem(refusal.problem, reader)} The command did not run.`
    case 'CONFIG_INVALID':
      return describeConfigProblem(refusal)
    case 'SANDBOX_UNAVAILABLE':
      return describeUnavailable(refusal)
    case 'WRITE_MODE_REQUIRED':
      return `The sandbox is switched off ([shell] sandbox = false${refusal.setBy === undefined ? '' : `, set by ${visible(refusal.setBy)}`}), so shell commands require write mode. The command did not run.\nSwitch to write mode, or set sandbox = true.`
    case 'SPAWN_FAILED':
      return describeSpawnFailure(refusal)
    case 'DENIED':
      return describeDenied(refusal.decision)
    case 'NOT_APPROVED':
      return describeNotApproved(refusal.decision, refusal.setBy)
    case 'AUDIT_FAILED':
      return describeAuditFailure(refusal)
    case 'FILE_FAILED':
      return describeFileFailure(refusal, reader)
  }
}

const unsandboxed = ' Write mode runs commands without a sandbox.'

/** What needs it, and what else the user can do. */
const needing: Readonly<Record<NonNullable<Unavailable['for']> | 'read', readonly [string, string]>> = {
  read: ['Read mode needs', unsandboxed],
  workspace: ['Workspace mode needs', unsandboxed],
  'private-tmp': ['The command needs', unsandboxed],
  limits: [
    'The configured [limits] need',
    ' To run without: set memory_bytes, cpu_seconds, processes and open_files to 0.',
  ],
  launcher: ['Commands need', ''],
  docker: [
    'The docker backend ([shell] backend = "docker") needs',
    ' To run commands on this machine instead, set backend = "local".',
  ],
  hosts: ['A list of hosts in [shell] network needs', ''],
}

function describeUnavailable({ for: what, wanted, got, remedy, platform }: Unavailable): string {
  if (platform !== undefined)
    return `Shell commands are not available in a sandboxed mode (read, workspace) on ${platform}. The command did not run.\nWrite mode runs them without a sandbox.`
  const [needs, instead] = needing[what ?? 'read']
  return `${needs} ${wanted}; found: ${got}. The command did not run.\nTo fix it: ${remedy}.${instead}`
}

const heldBecause = {
  analysis: 'preset analysis runs every line in read mode',
  unasked:
    'its commands are on the safe list, which runs held, and there is no approver to ask about write mode',
  refused:
    'its commands are on the safe list, which runs held, and running it in write mode was not approved',
  ended:
    'its commands are on the safe list, which runs held, and it was ended before anybody was asked about write mode',
  told: 'its commands are on the safe list, which runs held, and more than 1 MiB of its output had been passed on, so that it does not run again in write mode',
} as const

export type HeldBecause = keyof typeof heldBecause

/** A hint at the result of a line of write mode that ran held in read mode. */
export function heldHint(refused: readonly Denial[], cwd: string, why: HeldBecause): string {
  return `Read mode refused it (${refusedText(refused, cwd)}): ${heldBecause[why]}.`
}

/** A hint at the first run's result. */
export function secondRunFailed(said: string): string {
  return `The second run, in write mode, did not start. ${said}`
}

export function describeListenerFailure(said: string): string {
  return `onOutput failed (${said}), so vitrine ended the command. The result is in the property "result" of this error.`
}

export function describeUnready(
  { outcome, exitCode, signal }: AnyResult,
  lateMs: number | undefined,
): string {
  const how = outcome.kind === 'exited' ? `with exit code ${exitCode}` : `by ${signal ?? outcome.kind}`
  const said =
    lateMs === undefined
      ? `The background command ended ${how} before it was ready.`
      : `The background command was not ready within ${lateMs} ms (readyMs), so vitrine stopped it.`
  return `${said}\nLook at its output, in the property "result" of this error.`
}

export function describeRequestProblem(problem: RequestProblem, reader: HintReader = 'user'): string {
  const forTool = reader !== 'user'
  switch (problem.kind) {
    case 'blank-command':
      return `The command is empty. Pass a shell line${forTool ? '' : ', or a program and its arguments'}.`
    case 'command-and-argv':
      return 'Pass either "command" (a shell line) or "argv" (no shell), not both.'
    case 'template':
      return `A value stands behind \`${visible(problem.opener)}\` in the template, where it would not stay one word. Pass it as a variable ("env"), or use "argv".`
    case 'nul-byte':
      return `"${problem.field}" contains a NUL byte, which cannot be passed to a program.`
    case 'too-long':
      return `"${problem.field}" is ${problem.bytes} bytes long; the kernel accepts at most ${problem.limit} in one argument. ${forTool ? 'Split it into several shorter commands' : 'Put the script into a file, or pass it to "sh" on stdin'}.`
    case 'wrong-type':
    case 'out-of-range':
      return `"${problem.field}" must be ${problem.wanted}, not ${problem.got}.`
    case 'unknown-option':
      return problem.nearest === undefined
        ? `"${problem.field}" is not an option.`
        : `"${problem.field}" is not an option; did you mean "${problem.nearest}"?`
    case 'cwd':
      return describeDirectoryProblem(problem, forTool)
    case 'unsavable':
      return `Nothing can be saved under ${JSON.stringify(problem.name)} (${problem.reason}). ${forTool ? 'Leave scratchpad out, or ask the user to set' : 'Set'} XDG_STATE_HOME or TMPDIR to a writable directory.`
    case 'cwd-outside':
      return `The directory ${visible(problem.path)} is outside the workspace ${visible(problem.workspace)}, the only part of this machine in a container. Run the command inside it${forTool ? '' : ', or name another directory with --workspace'}.`
    case 'batch-file':
      return `"${problem.name}" is a batch file, and cmd.exe parses its arguments by rules of its own. Pass the whole line as "command".`
    case 'no-terminal':
      return problem.backend === 'docker'
        ? 'The docker backend gives no command a terminal (pty). Run the command without one, or with --backend local.'
        : "A terminal for a command (pty) needs vitrine's addon for Linux. Run the command without a terminal."
    case 'shell-closed':
      return 'This shell is closed. Open another one.'
    case 'usage':
      return problem.detail
  }
}

function describeDirectoryProblem(
  problem: Extract<RequestProblem, { kind: 'cwd' }>,
  forTool: boolean,
): string {
  const { reason, errno = 'EACCES' } = problem
  const path = visible(problem.path)
  switch (reason) {
    case 'deleted':
      if (forTool) return 'The working directory no longer exists. Name another one with cwd.'
      return 'The current directory no longer exists. Change to another one (cd), or name one (--cwd, or `cwd` of the call).'
    case 'missing':
      // Node decodes paths as UTF-8, with this character for what is none.
      if (path.includes('\uFFFD'))
        return `The directory ${path} does not exist, or its name is not UTF-8 and must be changed for vitrine.`
      return `The directory ${path} does not exist.`
    case 'not-a-directory':
      return `${path} is not a directory, so no command can run in it.`
    case 'unreadable':
      return `The directory ${path} cannot be entered: ${errno === 'EACCES' || errno === 'EPERM' ? 'permission denied' : errno}.`
    case 'unanswered':
      return `The file system of the directory ${path} does not answer. Run the command in another directory, or check the server or FUSE program behind it.`
  }
}

/** By step and errno: why a program could not be started, and what to do. */
const spawnFailures: Readonly<Record<string, string>> = {
  'exec E2BIG':
    'the arguments and the environment are larger than the kernel accepts. The command did not run. Pass the data through stdin or a file.',
  'exec ENOEXEC':
    'not a program (no known format and no #! line). The command did not run. Run it with its interpreter.',
  'landlock ruleset E2BIG':
    'the directories that hold unreadable files ([shell] reads, unreadable), or protected ones in workspace mode, have more than 250,000 entries. The command did not run. Name whole directories instead of single files in large ones, or move entries into a subdirectory.',
  'landlock ruleset ENAMETOOLONG':
    'an unreadable ([shell] unreadable) or protected path lies more than 200 directories deep. The command did not run. Name a directory above it.',
  'workspace EMLINK':
    'a protected file has further names (hard links), and the workspace is too large to search for them. The command did not run. List such files with "find .git .vscode -type f -links +1", and give each a copy of its own: cp -p FILE FILE.new && mv FILE.new FILE',
  'workspace ELOOP':
    'a symbolic link in a protected place leads to the workspace itself, to a directory above it, or to another one that commands may change, so nothing in there could be. The command did not run. List such links with "find .git .vscode -type l", and let them lead to what is meant.',
  'workspace EACCES':
    'a protected directory can be entered but not listed, so that links in it, which would be protected too, cannot be found. The command did not run. List such directories with "find .git .vscode -type d -executable ! -readable", and make them readable: chmod u+r DIRECTORY',
}

function describeSpawnFailure(failure: Extract<Refusal, { code: 'SPAWN_FAILED' }>): string {
  const { step, errno } = failure
  const program = visible(failure.program)
  if (failure.missing)
    return `${program}: what runs it was not found: the interpreter that its first line names, or the loader of a binary.`
  if (step === 'exec' && (errno === 'ENOENT' || errno === 'ENOTDIR')) return `${program}: not found.`
  if (step === 'exec' && errno === 'EACCES') return `${program}: not executable.`
  const known = spawnFailures[`${step} ${errno}`]
  if (known !== undefined) return `${program} could not be started: ${known}`
  if (step === 'core dumps')
    return `${program} could not be started: kernel.core_pattern has changed, and core dumps would leave the sandbox (${errno}). The command did not run. "vitrine doctor" says what to do.`
  const remedy = scarcityRemedy(errno)
  return `${program} could not be started: step "${step}" failed with ${errno}. The command did not run.${remedy ? ` To fix it: ${remedy}.` : ''}`
}

/** Separates the head and the tail of shortened output. */
export function omittedLine(bytes: number, notSaved?: string): string {
  const why = notSaved === undefined ? '' : ` and not saved (${notSaved})`
  return `\n[... ${bytesText(bytes)} omitted${why} ...]\n`
}

/** Precedes output that could not be saved. */
export function unsavedLine(bytes: number, reason: string, how: 'whole' | 'in base64'): string {
  return `\n[the last ${bytes} bytes could not be saved (${reason}); they follow ${how}]\n`
}

/** What keeps the audit log from being written; other reasons are names of errors: errno(3). */
const auditReasons: Readonly<Record<string, string>> = {
  ELOOP: 'it is a symbolic link',
  'not-a-file': 'it is not a regular file',
  busy: 'another process has held its lock for more than 5 s',
}

const auditSteps: Readonly<Record<AuditFault['step'], string>> = {
  directory: 'its directory cannot be created',
  lock: 'its lock cannot be acquired',
  open: 'it cannot be opened',
  room: 'there is no room for it',
  write: 'it cannot be written',
  rotate: 'it cannot be rotated',
}

/** Why a command that must be recorded did not run. `no-locks`: Node has no file locks on this system. */
function describeAuditFailure({ path, step, reason }: AuditFault): string {
  if (reason === 'no-locks')
    return `The audit log ${path} needs file locks, which this system has only with the native addon. The command did not run. Build the addon, or leave [audit] path empty.`
  return `The audit log ${path} does not work: ${auditSteps[step]} (${auditReasons[reason] ?? reason}). Nothing runs until it does ([audit] required = true): free space, or fix the path and its permissions.`
}

export function lostLine({ path, step, reason }: AuditFault): string {
  return `This command is missing from the audit log ${path}: ${auditSteps[step]} (${auditReasons[reason] ?? reason}).`
}
