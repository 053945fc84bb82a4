import { sizeText } from '../../base/text.ts'
import type { Denial, Mode, Outcome, Result } from '../../base/types.ts'
import { visible, whollyVisible } from '../../base/visible.ts'
import { attemptsIn, denialText } from '../denials.ts'
import type { VitrineError } from '../error.ts'
import { limitAdvice, limitReached } from '../limits.ts'
import { refusedOfSeveral } from '../list.ts'
import { describeRefusal } from '../refusal.ts'

/** What a tool's description has to tell a model. */
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
    `Runs one ${interpreterName(facts)} command line and returns what it printed: stdout and stderr together, in the order written.`,
    modeText(facts),
    deadlineText(facts),
    'Every command starts anew in the working directory, with nothing to read on stdin: cd, variables and answers to questions do not carry over. Use cwd, &&, and options such as --yes.',
    literalText(facts),
    `A result with "[exit code: N]" is an ordinary answer, not a failure of the tool. Output over ${inlineChars} characters is shown as its first and last part and saved whole: read the rest with read_scratchpad. Give scratchpad a name to keep any output whole.`,
  ].join('\n')
}

/**
 * What the server says about itself when a client connects.
 * @param sandboxOff the file, variable or flag that switches read mode off, where no tool is left
 */
export function serverInstructions(
  tools: readonly { readonly name: string; readonly facts: ToolFacts }[],
  sandboxOff: string,
): string {
  const [first, second] = tools
  if (!first) return [readModeOff(sandboxOff, false), scratchpadText].join('\n')
  const { name, facts } = first
  const which = second
    ? `${name} runs in read mode. ${second.name} runs unsandboxed: use it only for what has to change something.`
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
  'Long output is never lost: list_scratchpad shows what was saved, read_scratchpad reads it by lines, bytes or a pattern.'

/** Why there is no tool for read mode, and what the user can do. */
export function readModeOff(sandboxOff: string, writeIsServed: boolean): string {
  const from = sandboxOff === '' ? '' : ` (${visible(sandboxOff)})`
  const left = writeIsServed ? 'Only write mode is served' : 'No tool runs commands'
  const remedy = writeIsServed ? '' : ', or vitrine mcp --mode write'
  return `${left}: [shell] sandbox = false${from} switches read mode off. To change that, the user sets sandbox = true${remedy}.`
}

function interpreterName({ interpreter }: ToolFacts): string {
  return interpreter === 'sh' ? 'sh' : 'PowerShell'
}

function modeText({ mode, network, hasWriteTool }: ToolFacts): string {
  if (mode === 'write') return 'WRITE MODE: commands run unsandboxed and can change anything this user can.'
  const way = hasWriteTool
    ? `use ${writeToolName} for a command that has to`
    : 'say so instead of trying another way'
  return `READ MODE: the operating system refuses every change outside the command itself: files, metadata, other processes${network ? '' : ', network (the user opens it, with [shell] network = true)'}. ${network ? 'Network clients are let through. ' : ''}Nothing can be written, installed or committed; ${way}.`
}

function deadlineText({ defaultTimeoutMs, maxTimeoutMs }: ToolFacts): string {
  return `Choose timeout_ms for each command by how long it should take: default ${defaultTimeoutMs}, at most ${maxTimeoutMs} (more is lowered to that, and the result says so). A program that never ends (a server, a watcher, tail -f, top) is killed at its deadline: give such a command an end of its own.`
}

/** What a model gets wrong about quoting. */
function literalText({ interpreter }: ToolFacts): string {
  if (interpreter === 'sh')
    return "sh expands $: for a literal $, write \\$ or put the word into single quotes ('costs $5')."
  return 'The command already runs in PowerShell: do not nest powershell -Command, which expands every $ twice. Where a script of its own is needed, write it to a .ps1 file and run that, use -EncodedCommand, or put a backtick before each $ (`$).'
}

/** Descriptions of the parameters. */
export const parameterTexts = {
  command: 'The command line.',
  timeoutMs: (facts: ToolFacts) =>
    `Milliseconds after which the command is killed; choose it per command. At most ${facts.maxTimeoutMs}.`,
  scratchpad:
    'Saves the whole output under this name: letters, digits, dots, dashes, underscores. A name that is taken gets a suffix.',
  cwd: 'The directory to run it in. Default: the working directory.',
  privateTmp:
    'Read mode: true gives the command a TMPDIR of its own that it can write to, removed after it: for temporary files, caches, compilers and test runners. Default: as configured.',
  next: 'Further command lines to run in order after command, each started anew with the same cwd, timeout_ms (for each line) and private_tmp; each output that is saved gets a name of its own. All are decided about before the first starts; the first that fails ends the list.',
  ignoreErrors: 'With next: true goes on after a line that fails.',
  entryName: 'The name it was saved under, as a result or list_scratchpad says.',
  unit: 'What offset and limit count.',
  offset:
    'Lines or bytes to leave out at the beginning; negative: begin that many before the end (-100: the last 100). Default 0.',
  limit: 'How many lines or bytes to read. Default: as many as may be shown at once.',
  grep: 'A regular expression in RE2 syntax (no lookaround, no backreferences): shows matching lines with their numbers instead of a range.',
  context: 'With grep: lines to show before and after each match.',
  ignoreCase: 'With grep: upper and lower case are the same.',
} as const

export const wantedTexts = {
  command: 'give the command line as a string',
  timeoutMs: 'give a whole number of milliseconds above 0, or leave it out',
  scratchpad: 'give a name as a string, or leave it out',
  cwd: 'give a directory as a string, or leave it out',
  next: (most: number) => `give an array of 1 to ${most} command lines`,
  entryName: 'give the name that list_scratchpad shows',
  unit: 'give "lines" or "bytes"',
  offset: 'give a whole number',
  limit: 'give a whole number above 0',
  grep: 'give a regular expression as a string',
  context: 'give a whole number from 0 to 100',
  trueOrFalse: 'give true or false',
  missing: (keys: readonly string[]) => `it is needed; the ${parametersAre(keys)}`,
  unknown: (keys: readonly string[], nearest: string | undefined) =>
    nearest === undefined
      ? `there is no such parameter; the ${parametersAre(keys)}`
      : `there is no such parameter; did you mean ${nearest}? The ${parametersAre(keys)}`,
  network:
    'no call can open the network for itself: the user does, with [shell] network = true or vitrine mcp --network',
} as const

function parametersAre(keys: readonly string[]): string {
  return `parameters are ${keys.join(', ') || 'none'}`
}

export const readScratchpadDescription =
  'Reads output that was saved whole: a range of lines or bytes, or the lines that match a pattern.'
export const listScratchpadDescription =
  'Lists the outputs saved in this session: name, size, time, how the command ended, and the command.'

/** Anthropic's bash tool can be restarted. */
export const restartedText =
  'Every command starts in a new shell, in the working directory: there is nothing to restart.'

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
  return `[timeout_ms ${asked} is over the maximum: ${given} was used]`
}

const maxDenialLines = 20

/** `[blocked in read mode: write src/a.ts]`, one line for each; past twenty the attempts are only counted. */
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
  const processes = count === 1 ? 'process runs' : 'processes run'
  return `[${count} ${processes} on in the background: process group ${group}]`
}

export function survivorsLine(count: number): string {
  return `[${count === 1 ? '1 background process was' : `${count} background processes were`} killed when the command ended]`
}

type Saved = NonNullable<Result['scratchpad']>

/** Too long to show whole. */
export function cutLine({ name, path, bytes }: Saved, eachChars: number): string {
  return `[output: ${sizeText(bytes)}, saved whole to scratchpad "${name}" at ${path}; shown: first and last ${eachChars} characters; read the rest with read_scratchpad]`
}

/** Shown whole, and saved because that was asked for. */
export function savedLine({ name, path, bytes }: Saved): string {
  return `[output: ${sizeText(bytes)}, saved whole to scratchpad "${name}" at ${path}]`
}

export function binaryLine({ name, path, bytes }: Saved): string {
  return `[binary output: ${bytes} bytes, saved to scratchpad "${name}" at ${path}]`
}

export function binaryUnsavedLine(bytes: number): string {
  return `[binary output: ${bytes} bytes, which could not be saved]`
}

export function takenNameLine(asked: string, got: string): string {
  return `[the name "${asked}" was taken: saved as "${got}"]`
}

// Errors and questions

/** A refusal as the text of a tool's error. */
export function refusalText({ code, message, refusal }: VitrineError): string {
  // What the audit log adds to a message stays.
  const said = message.replace(describeRefusal(refusal), () => describeRefusal(refusal, 'tool'))
  return `${code}: ${said}`
}

/** The same for a line of a list that could not be started after others had run. */
export function refusalInList(error: VitrineError): string {
  return refusedOfSeveral(refusalText(error), 0)
}

export const ignoreErrorsAlone =
  'INVALID_REQUEST: ignore_errors goes on after a line of a list that fails, so it needs next. Nothing ran.'

/** @param command which one of several */
export function notApprovedByUser(command?: string): string {
  const about = command === undefined ? '' : ` to "${visible(command)}"`
  return `NOT_APPROVED: The user said no${about}. Nothing ran. Do not try the same in another way: ask what they want instead.`
}

export function notAskable(reason: string): string {
  return `NOT_APPROVED: This command has to be approved (${reason}), and this client cannot ask its user: it has no elicitation. Nothing ran. Use a command that needs no approval, or ask the user to run it, to allow it in [policy] allow, or to start the server with --approve client.`
}

/** The question that a client shows its user. */
export function elicitationMessage(
  request: { readonly command: string; readonly cwd: string; readonly mode: Mode },
  reason: string,
): string {
  return [
    `Run this in ${request.mode} mode?`,
    // A margin, so that no line of the command passes for one of ours; and a line feed of its does not look like a written one.
    ...request.command.split('\n').map((line) => `  ${whollyVisible(line)}`),
    `in ${whollyVisible(request.cwd)}`,
    `asked because: ${visible(reason)}`,
  ].join('\n')
}

export const elicitationTitle = 'Run it?'

/** What the answers mean. */
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
  return `waiting: ${ahead} ${ahead === 1 ? 'command is' : 'commands are'} to start before it`
}
