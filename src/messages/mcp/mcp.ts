import { sizeText } from '../../base/text.ts'
import type { Denial, Mode, Outcome, Result } from '../../base/types.ts'
import { visible, whollyVisible } from '../../base/visible.ts'
import { attemptsIn, denialText } from '../denials.ts'
import type { VitrineError } from '../error.ts'
import { limitAdvice, limitReached } from '../limits.ts'
import { refusedOfSeveral } from '../list.ts'
import { describeRefusal } from '../refusal.ts'

/** What a tool's description depends on. */
export interface ToolFacts {
  readonly mode: Mode
  /** There is a second tool, for write mode. */
  readonly hasWriteTool: boolean
  readonly network: boolean
  readonly interpreter: 'sh' | 'powershell'
  readonly defaultTimeoutMs: number
  readonly maxTimeoutMs: number
  readonly inlineChars: number
}

export const writeToolName = 'execute_command_write'

/** The description of `execute_command`, or of its sister for write mode. */
export function toolDescription(facts: ToolFacts): string {
  const { inlineChars } = facts
  return [
    `Runs one ${interpreterName(facts)} command line and returns its output: stdout and stderr together, in the order written.`,
    modeText(facts),
    deadlineText(facts),
    'Every command starts in a new shell in the working directory, with empty stdin: cd and variables do not carry over, and prompts cannot be answered. Use cwd, &&, and options such as --yes.',
    literalText(facts),
    `A result with "[exit code: N]" is an ordinary answer, not a failure of the tool. Of output over ${inlineChars} characters the first and last part is shown; all of it is saved for read_scratchpad. Set scratchpad to a name to save any output.`,
  ].join('\n')
}

/**
 * The server's instructions for a client that connects.
 * @param sandboxOff the file, variable or flag that disables read mode, if no tool is left
 */
export function serverInstructions(
  tools: readonly { readonly name: string; readonly facts: ToolFacts }[],
  sandboxOff: string,
): string {
  const [first, second] = tools
  if (!first) return [readModeOff(sandboxOff, false), scratchpadText].join('\n')
  const { name, facts } = first
  const which = second
    ? `${name} runs in read mode. ${second.name} runs unsandboxed: use it only for commands that must change something.`
    : `${name} runs in ${facts.mode} mode.`
  return [
    ...(facts.mode === 'read'
      ? ['A shell in which the operating system itself makes commands read-only.']
      : []),
    which,
    modeText(facts),
    deadlineText(facts),
    literalText(facts),
    scratchpadText,
  ].join('\n')
}

const scratchpadText =
  'Long output is saved: list_scratchpad lists it, read_scratchpad reads it by lines, bytes or a pattern.'

/** Why there is no tool for read mode, and how the user enables it. */
export function readModeOff(sandboxOff: string, writeIsServed: boolean): string {
  const from = sandboxOff === '' ? '' : ` (${visible(sandboxOff)})`
  const left = writeIsServed ? 'Only write mode is available' : 'No tool can run commands'
  const remedy = writeIsServed ? '' : ', or to run vitrine mcp --mode write'
  return `${left}, because [shell] sandbox = false${from} disables read mode. To change that, ask the user to set sandbox = true${remedy}.`
}

function interpreterName({ interpreter }: ToolFacts): string {
  return interpreter === 'sh' ? 'sh' : 'PowerShell'
}

function modeText({ mode, network, hasWriteTool }: ToolFacts): string {
  if (mode === 'write') return 'WRITE MODE: commands run unsandboxed and can change anything this user can.'
  const way = hasWriteTool
    ? `use ${writeToolName} for a command that must change something`
    : 'if a task needs that, say so instead of trying another way'
  return `READ MODE: the operating system refuses every change outside the command itself: files, metadata, other processes${network ? '' : ', network (only the user can allow it, with [shell] network = true)'}. ${network ? 'Network clients are allowed. ' : ''}Nothing can be written, installed or committed; ${way}.`
}

function deadlineText({ defaultTimeoutMs, maxTimeoutMs }: ToolFacts): string {
  return `Set timeout_ms to what the command needs: default ${defaultTimeoutMs}, at most ${maxTimeoutMs} (a larger value is lowered, and the result says so). A program that does not end by itself (a server, a watcher, tail -f, top) is killed at the timeout: limit it in the command.`
}

/** The quoting mistakes that models make. */
function literalText({ interpreter }: ToolFacts): string {
  if (interpreter === 'sh')
    return "sh expands $: for a literal $, write \\$ or use single quotes ('costs $5')."
  return 'The command already runs in PowerShell: do not nest powershell -Command, which expands every $ twice. If you need a separate script, write it to a .ps1 file and run that, use -EncodedCommand, or put a backtick before each $ (`$).'
}

/** Descriptions of the parameters. */
export const parameterTexts = {
  command: 'The command line.',
  timeoutMs: (facts: ToolFacts) =>
    `Milliseconds after which the command is killed; set it per command. At most ${facts.maxTimeoutMs}.`,
  scratchpad:
    'Saves the complete output under this name: letters, digits, dots, dashes, underscores. A name in use gets a suffix.',
  cwd: 'The directory to run it in. Default: the working directory.',
  privateTmp:
    'Read mode: true gives the command a private, writable TMPDIR, removed afterwards: for temporary files, caches, compilers and test runners. Default: as configured.',
  next: 'Further command lines to run in order after command, each in a new shell with the same cwd, private_tmp and timeout_ms (per line). Each saved output gets its own name. The policy decides about all lines before the first one starts; the first failure ends the list.',
  ignoreErrors: 'With next: true continues after a line that fails.',
  entryName: 'The name of the saved output, from a result or list_scratchpad.',
  unit: 'What offset and limit count.',
  offset:
    'Lines or bytes to skip at the beginning; a negative number counts from the end (-100: the last 100). Default 0.',
  limit: 'The number of lines or bytes to read. Default: as many as can be shown at once.',
  grep: 'A regular expression in RE2 syntax (no lookaround, no backreferences): shows matching lines with their numbers instead of a range.',
  context: 'With grep: lines to show before and after each match.',
  ignoreCase: 'With grep: ignores case.',
} as const

export const wantedTexts = {
  command: 'pass the command line as a string',
  timeoutMs: 'pass a whole number of milliseconds above 0, or omit it',
  scratchpad: 'pass a name as a string, or omit it',
  cwd: 'pass a directory as a string, or omit it',
  next: (most: number) => `pass an array of 1 to ${most} command lines`,
  entryName: 'pass a name that list_scratchpad shows',
  unit: 'pass "lines" or "bytes"',
  offset: 'pass a whole number',
  limit: 'pass a whole number above 0',
  grep: 'pass a regular expression as a string',
  context: 'pass a whole number from 0 to 100',
  trueOrFalse: 'pass true or false',
  missing: (keys: readonly string[]) => `it is required; the ${parametersAre(keys)}`,
  unknown: (keys: readonly string[], nearest: string | undefined) =>
    nearest === undefined
      ? `there is no such parameter; the ${parametersAre(keys)}`
      : `there is no such parameter; did you mean ${nearest}? The ${parametersAre(keys)}`,
  network:
    'a call cannot allow the network; only the user can, with [shell] network = true or vitrine mcp --network',
} as const

function parametersAre(keys: readonly string[]): string {
  return `parameters are ${keys.join(', ') || 'none'}`
}

export const readScratchpadDescription =
  'Reads a saved output: a range of lines or bytes, or the lines that match a pattern.'
export const listScratchpadDescription =
  'Lists the outputs saved in this session: name, size, time, how the command ended, and the command.'

/** Anthropic's bash tool can be restarted. */
export const restartedText =
  'There is nothing to restart: every command starts in a new shell, in the working directory.'

// Lines of a result

export const noOutput = '(no output)'

export function exitCodeLine(code: number): string {
  return `[exit code: ${code}]`
}

export function killedByLine(signal: string): string {
  return `[killed by ${signal}]`
}

export function timedOutLine(afterMs: number): string {
  return `[timed out after ${afterMs} ms; killed]`
}

export const cancelledLine = '[cancelled]'

export function outputLimitLine(limit: number): string {
  return `[more than ${limit} bytes of output; killed]`
}

export function limitedLine(outcome: Extract<Outcome, { kind: 'limited' }>): string {
  return `[killed: ${limitReached(outcome)}. ${limitAdvice(outcome.limit).advice}]`
}

export function loweredTimeoutLine(asked: number, given: number): string {
  return `[timeout_ms ${asked} exceeds the maximum; ${given} was used]`
}

const maxDenialLines = 20

/** `[blocked in read mode: write src/a.ts]` for the first twenty refusals, then the number of further attempts. */
export function blockedLines(denials: readonly Denial[]): string[] {
  const lines = denials.slice(0, maxDenialLines).map(denialLine)
  const rest = attemptsIn(denials.slice(maxDenialLines))
  return rest === 0 ? lines : [...lines, `[blocked in read mode: ${rest} more]`]
}

function denialLine(denial: Denial): string {
  const times = denial.count > 1 ? ` (${denial.count} times)` : ''
  return `[blocked in read mode: ${denialText(denial)}${times}]`
}

export function hintLine(hint: string): string {
  return `[${hint}]`
}

export function backgroundLine({ count, group }: NonNullable<Result['background']>): string {
  const processes = count === 1 ? 'process is' : 'processes are'
  return `[${count} background ${processes} still running: process group ${group}]`
}

export function survivorsLine(count: number): string {
  return `[${count === 1 ? '1 background process was' : `${count} background processes were`} killed when the command ended]`
}

type Saved = NonNullable<Result['scratchpad']>

/** For output too long to show. */
export function cutLine({ name, path, bytes }: Saved, eachChars: number): string {
  return `[output: ${sizeText(bytes)}, saved whole to scratchpad "${name}" at ${path}; shown: first and last ${eachChars} characters; read the rest with read_scratchpad]`
}

/** For output shown completely, and saved because the call asked for it. */
export function savedLine({ name, path, bytes }: Saved): string {
  return `[output: ${sizeText(bytes)}, saved whole to scratchpad "${name}" at ${path}]`
}

export function binaryLine({ name, path, bytes }: Saved): string {
  return `[binary output: ${bytes} bytes, saved to scratchpad "${name}" at ${path}]`
}

export function binaryUnsavedLine(bytes: number): string {
  return `[binary output: ${bytes} bytes; it could not be saved]`
}

export function takenNameLine(asked: string, got: string): string {
  return `[the name "${asked}" is in use: saved as "${got}"]`
}

// Errors and questions

/** A refusal as the text of a tool's error. */
export function refusalText({ code, message, refusal }: VitrineError): string {
  // Replaces only the refusal: the audit log may have added a sentence.
  const said = message.replace(describeRefusal(refusal), () => describeRefusal(refusal, 'tool'))
  return `${code}: ${said}`
}

/** The same for a line of a list that could not be started after others ran. */
export function refusalInList(error: VitrineError): string {
  return refusedOfSeveral(refusalText(error), 0)
}

export const ignoreErrorsAlone =
  'INVALID_REQUEST: ignore_errors continues after a line of a list that fails, so it needs next. Nothing ran.'

/** @param command names one of several */
export function notApprovedByUser(command?: string): string {
  const about = command === undefined ? '' : ` to "${visible(command)}"`
  return `NOT_APPROVED: The user said no${about}. Nothing ran. Do not try the same in another way; ask what the user wants instead.`
}

export function notAskable(reason: string): string {
  return `NOT_APPROVED: This command needs approval (${reason}), and this client cannot ask its user (no elicitation). Nothing ran. Use a command that needs no approval, or ask the user to run it, to allow it in [policy] allow, or to start the server with --approve client.`
}

/** The question that a client shows its user. */
export function elicitationMessage(
  request: { readonly command: string; readonly cwd: string; readonly mode: Mode },
  reason: string,
): string {
  return [
    `Run this in ${request.mode} mode?`,
    // With a margin, no line of the command can imitate a line of vitrine's; invisible characters become visible.
    ...request.command.split('\n').map((line) => `  ${whollyVisible(line)}`),
    `in ${whollyVisible(request.cwd)}`,
    `asked because: ${visible(reason)}`,
  ].join('\n')
}

export const elicitationTitle = 'Run it?'

/** The meaning of the answers. */
export const answerNames: Readonly<Record<'y' | 'n' | 'a' | 's', string>> = {
  y: 'yes',
  n: 'no',
  a: 'all this session',
  s: 'this command this session',
}

export function progressText(elapsedMs: number, bytes: number): string {
  return `running for ${(elapsedMs / 1000).toFixed(1)} s, ${sizeText(bytes)} of output`
}

export function waitingText(ahead: number): string {
  return `waiting for ${ahead} earlier ${ahead === 1 ? 'command' : 'commands'} to start`
}
