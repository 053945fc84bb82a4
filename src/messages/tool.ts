import { visible } from '../base/text.ts'
import type { Mode } from '../base/types.ts'
import type { Config } from '../config/schema.ts'
import type { NetworkSetting } from '../network/access.ts'

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

export const parameterTexts = {
  command: 'The command line.',
  timeoutMs: (facts: ToolFacts) =>
    `Milliseconds after which the command is killed; set it per command. At most ${facts.maxTimeoutMs}.`,
  scratchpad:
    'Saves the complete output under this name: letters, digits, dots, dashes, underscores. A name in use gets a suffix.',
  cwd: 'The directory to run it in. Default: the working directory.',
  privateTmp:
    'true gives the command a private, writable TMPDIR, removed afterwards: for temporary files, caches, compilers and test runners. Default: in read mode as configured, in workspace mode true; write mode has none.',
  next: 'Further command lines to run in order after command, each in a new shell with the same cwd, private_tmp and timeout_ms (per line). Each saved output gets its own name. The policy decides about all lines before the first one starts; the first failure ends the list.',
  ignoreErrors: 'With next: true continues after a line that fails.',
} as const

export const ignoreErrorsWithoutNext =
  'ignore_errors continues after a line of a list that fails, so it needs next.'

/** The defaults, for a description if no shell could be opened. */
const unknownConfig = {
  shell: { network: false, timeout_ms: 30_000, max_timeout_ms: 600_000 },
  output: { inline_max_chars: 30_000 },
}

export function factsOf(
  config: Pick<Config, 'shell' | 'output'> | undefined,
  mode: Mode,
  looserTool: string | undefined,
  interpreter: ToolFacts['interpreter'],
): ToolFacts {
  const { shell, output } = config ?? unknownConfig
  return {
    mode,
    looserTool,
    network: shell.network,
    interpreter,
    defaultTimeoutMs: Math.min(shell.timeout_ms, shell.max_timeout_ms),
    maxTimeoutMs: shell.max_timeout_ms,
    inlineChars: output.inline_max_chars,
  }
}
