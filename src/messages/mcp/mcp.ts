import type { ApprovalRequest } from '../../admit/approver.ts'
import { sizeText, visible, whollyVisible } from '../../base/text.ts'
import type { Mode } from '../../base/types.ts'
import type { NetworkSetting } from '../../network/access.ts'
import { approvalHeading } from '../approval.ts'
import { lostLine } from '../audit.ts'
import type { VitrineError } from '../error.ts'
import { describeRefusal } from '../refusal.ts'

export interface ToolFacts {
  readonly mode: Mode
  /** The tool of the next looser mode; undefined: there is none. */
  readonly looserTool: string | undefined
  readonly network: NetworkSetting
  /** What reads lines: `sh`, `sh (dash)`, `bash`, `PowerShell` or the name of another shell. */
  readonly interpreter: string
  readonly defaultTimeoutMs: number
  readonly maxTimeoutMs: number
  readonly inlineChars: number
  /** There is no tool that reads the scratchpad. */
  readonly onlyTool?: boolean
}

export function toolDescription(facts: ToolFacts): string {
  const { inlineChars, onlyTool } = facts
  const saved = onlyTool ? 'saved in a file that the answer names' : 'saved for read_scratchpad'
  return [
    `Runs one ${facts.interpreter} command line and returns its output: stdout and stderr together, in the order written.`,
    modeText(facts),
    deadlineText(facts),
    'Every command starts in a new shell in the working directory, with empty stdin: cd and variables do not carry over, and prompts cannot be answered. Use cwd, &&, and options such as --yes.',
    literalText(facts),
    `A result with "[exit code: N]" is an ordinary answer, not a failure of the tool. Of output over ${inlineChars} characters the first and last parts are shown; all of it is ${saved}. Set scratchpad to a name to save any output.`,
  ].join('\n')
}

/**
 * The server's instructions for a client that connects.
 * @param sandboxOff the file, variable or flag that turns off the sandbox, if no tool is left
 */
export function serverInstructions(
  tools: readonly { readonly name: string; readonly facts: ToolFacts }[],
  sandboxOff: string,
): string {
  const [first, ...others] = tools
  if (!first) return [readModeOff(sandboxOff, false), scratchpadText].join('\n')
  const { name, facts } = first
  const which = [
    `${name} runs in ${facts.mode} mode.`,
    ...others.map((tool) => `${tool.name}: ${uses[tool.facts.mode]}.`),
  ]
  return [
    ...(facts.mode === 'read'
      ? ['A shell in which the operating system itself makes commands read-only.']
      : []),
    which.join(' '),
    modeText(facts),
    deadlineText(facts),
    literalText(facts),
    scratchpadText,
  ].join('\n')
}

const scratchpadText =
  'Long output is saved: list_scratchpad lists it, read_scratchpad reads it by lines, bytes or a pattern.'

/** Why there is no tool for read and workspace mode, and how the user enables them. */
export function readModeOff(sandboxOff: string, writeIsServed: boolean): string {
  const from = sandboxOff === '' ? '' : ` (${visible(sandboxOff)})`
  const left = writeIsServed ? 'Only write mode is available' : 'No tool can run commands'
  const remedy = writeIsServed ? '' : ', or to run vitrine mcp --mode write'
  return `${left}, because [shell] sandbox = false${from} disables read and workspace mode. To change that, ask the user to set sandbox = true${remedy}.`
}

const uses: Readonly<Record<Mode, string>> = {
  read: 'read mode, for commands that only look',
  workspace: 'workspace mode, for commands that change files of the workspace',
  write: 'write mode, unsandboxed, only for what has to change something elsewhere',
}

function networkShut(network: NetworkSetting): string {
  if (network === true) return ''
  return network === false
    ? ', network (only the user can allow it, with [shell] network = true)'
    : ', network but for listed hosts'
}

const maxHosts = 20

function networkOpen(network: NetworkSetting): string {
  if (network === false) return ''
  if (network === true) return 'Network clients are allowed. '
  const more = network.length > maxHosts ? ', ...' : ''
  return `Programs that use the proxy in HTTP_PROXY reach ${network.slice(0, maxHosts).map(visible).join(', ')}${more}; only the user can add hosts, with [shell] network. `
}

function modeText({ mode, network, looserTool }: ToolFacts): string {
  if (mode === 'write') return 'WRITE MODE: commands run unsandboxed and can change anything this user can.'
  const way = looserTool
    ? `use ${looserTool} for a command that must change something`
    : 'if a task needs that, say so instead of trying another way'
  if (mode === 'workspace')
    return `WORKSPACE MODE: the operating system lets the command change the workspace and $TMPDIR, and refuses every other change: other files, git's configuration and hooks, settings of editors and agents, other processes${networkShut(network)}. ${networkOpen(network)}Builds, tests and git commits work; the answer names addresses at which the command listened. For anything else ${way}.`
  return `READ MODE: the operating system refuses every change outside the command itself: files, metadata, other processes${networkShut(network)}. ${networkOpen(network)}Nothing can be written, installed or committed; ${way}.`
}

function deadlineText({ defaultTimeoutMs, maxTimeoutMs }: ToolFacts): string {
  return `Set timeout_ms to what the command needs: default ${defaultTimeoutMs}, at most ${maxTimeoutMs} (a larger value is lowered, and the result says so). A program that does not end by itself (a server, a watcher, tail -f, top) is killed at the timeout: limit it in the command.`
}

/** The quoting mistakes that models make. */
function literalText({ interpreter }: ToolFacts): string {
  if (interpreter !== 'PowerShell')
    return `${interpreter.split(' ', 1)[0]} expands $: for a literal $, write \\$ or use single quotes ('costs $5').`
  return 'The command already runs in PowerShell: do not nest powershell -Command, which expands every $ twice. If you need a separate script, write it to a .ps1 file and run that, use -EncodedCommand, or put a backtick before each $ (`$).'
}

export const toolTitles = {
  read: 'Run a command, read-only',
  workspace: 'Run a command that may change the workspace',
  write: 'Run a command',
  readScratchpad: 'Read saved output',
  listScratchpad: 'List saved output',
  resource: 'Saved output',
} as const satisfies Readonly<Record<Mode, string>> & Record<string, string>

export const readScratchpadDescription =
  'Reads a saved output: a range of lines or bytes, or the lines that match a pattern.'
export const listScratchpadDescription =
  'Lists the outputs saved in this session: name, size, time, how the command ended, and the command.'

/** Anthropic's bash tool can be restarted. */
export const restartedText =
  'There is nothing to restart: every command starts in a new shell, in the working directory.'

export function refusalText({ code, refusal, auditFault }: VitrineError): string {
  const said = describeRefusal(refusal, 'tool')
  return `${code}: ${auditFault ? `${said} ${lostLine(auditFault)}` : said}`
}

export const ignoreErrorsWithoutNext =
  'ignore_errors continues after a line of a list that fails, so it needs next.'

export const ignoreErrorsAlone = `INVALID_REQUEST: ${ignoreErrorsWithoutNext} Nothing ran.`

/** @param command names one of several */
export function notApprovedByUser(command?: string): string {
  const about = command === undefined ? '' : ` to "${visible(command)}"`
  return `NOT_APPROVED: The user said no${about}. The command did not run. Do not try the same in another way; ask what the user wants instead.`
}

/** @param command names one of several */
export function unansweredByUser(command?: string): string {
  const about = command === undefined ? '' : ` about "${visible(command)}"`
  return `NOT_APPROVED: The question${about} was closed without an answer. The command did not run. Do not try the same in another way; tell the user what you want to run, and why.`
}

export function notAskable(reason: string): string {
  return `NOT_APPROVED: This command needs approval (${reason}), and this client cannot ask its user (no elicitation). The command did not run. Use a command that needs no approval, or ask the user to run it, to allow it in [policy] allow, or to start the server with --approve client.`
}

export function elicitationMessage(
  request: Pick<ApprovalRequest, 'command' | 'cwd' | 'mode' | 'change' | 'connect'>,
  ...reasons: readonly string[]
): string {
  const heading = approvalHeading(request)
  return [
    `${heading.charAt(0).toUpperCase()}${heading.slice(1)}`,
    // With a margin, no line of the command can imitate a line of vitrine's; invisible characters become visible.
    ...request.command.split('\n').map((line) => `  ${whollyVisible(line)}`),
    `in ${whollyVisible(request.cwd)}`,
    ...reasons.map((reason, at) => `${at === 0 ? 'asked' : 'and'} because: ${visible(reason)}`),
  ].join('\n')
}

export function elicitationTitle({ change, connect }: Pick<ApprovalRequest, 'change' | 'connect'>): string {
  if (connect) return 'Let it connect?'
  return change === undefined ? 'Run it?' : 'Let it change that?'
}

/** An answer that arrives long after its command. */
export const endedMeanwhile =
  'INVALID_REQUEST: The command that waited for this answer has ended, and its result is gone. Look at what it changed before you run it again.'

/** A call that waited for its turn. */
export const endedUnrun = 'INVALID_REQUEST: The server is ending. The command did not run.'

export const answeredBefore =
  'INVALID_REQUEST: This answer of the user has been used, and counts once. Nothing ran. Call the tool again without it, and the user is asked again.'

export const answerNames: Readonly<Record<'y' | 'n' | 'a' | 's', string>> = {
  y: 'yes',
  n: 'no',
  a: 'all this session',
  s: 'this command this session',
}

export const hostAnswerNames: typeof answerNames = {
  ...answerNames,
  y: 'yes, this command',
  n: 'never in this session',
  s: 'all commands of this session',
}

export function progressText(elapsedMs: number, bytes: number): string {
  return `running for ${(elapsedMs / 1000).toFixed(1)} s, ${sizeText(bytes)} of output`
}

export function waitingText(ahead: number): string {
  return `waiting for ${ahead} earlier ${ahead === 1 ? 'command' : 'commands'} to start`
}
