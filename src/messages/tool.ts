import { visible } from '../base/text.ts'
import type { Mode } from '../base/types.ts'
import type { Config } from '../config/schema.ts'
import type { NetworkSetting } from '../network/access.ts'

export interface ToolFacts {
  /** From the strictest on; of several a call chooses one. */
  readonly modes: readonly [Mode, ...Mode[]]
  /** The tool of the next looser mode; undefined: there is none. */
  readonly looserTool?: string | undefined
  /** The tool that says everything else of this one, too. */
  readonly like?: string | undefined
  readonly network: NetworkSetting
  /** What reads lines: `sh`, `sh (dash)`, `bash`, `PowerShell` or the name of another shell. */
  readonly interpreter: string
  readonly defaultTimeoutMs: number
  readonly maxTimeoutMs: number
  readonly inlineChars: number
  /** There is no tool that reads the scratchpad. */
  readonly onlyTool?: boolean
  /** There are tools for commands in the background. */
  readonly background?: boolean
  /** A call can name a session. */
  readonly sessions?: boolean
}

/** Each request of a model carries it: nothing is said that a parameter says. */
export function toolDescription(facts: ToolFacts): string {
  const { modes, like, interpreter, inlineChars, onlyTool } = facts
  const does = modes.map((mode) => modeTexts[mode])
  if (like) return [`Like ${like}, but in ${does.join('\n')}`, ...wayOut(facts)].join(' ')
  const saved = onlyTool ? 'in a file that the answer names' : 'for read_scratchpad'
  return [
    `Runs a command line in ${interpreter} and returns stdout and stderr in the order written.`,
    ...does,
    ...networkText(facts),
    ...wayOut(facts),
    facts.sessions
      ? 'Each command has a new shell and empty stdin; cd and variables carry over only with session, a name.'
      : 'Each command has a new shell and empty stdin: cd and variables do not carry over, prompts get no answer.',
    interpreter === 'PowerShell' ? powerShellText : 'A literal $ needs \\$ or single quotes.',
    `"[exit code: N]" is an ordinary answer. Of output over ${inlineChars} characters both ends are shown; all of it is saved ${saved}.`,
  ].join('\n')
}

export const modeTexts: Readonly<Record<Mode, string>> = {
  read: 'READ MODE: the operating system refuses every change outside the command: files, metadata, other processes.',
  workspace:
    "WORKSPACE MODE: the operating system lets the command change the workspace and $TMPDIR only, and not git's configuration and hooks or settings of editors and agents. Builds, tests and git commits work.",
  write: 'WRITE MODE: commands run unsandboxed and can change anything this user can.',
}

const maxHosts = 20

function networkText({ modes, network }: ToolFacts): string[] {
  if (modes[0] === 'write') return []
  const where = modes.includes('write') ? 'Network outside write mode' : 'Network'
  if (network === true) return [`${where}: open to clients.`]
  if (network === false) return [`${where}: none; only the user can allow it, with [shell] network = true.`]
  const more = network.length > maxHosts ? ', ...' : ''
  const hosts = `${network.slice(0, maxHosts).map(visible).join(', ')}${more}`
  return [
    `${where}: ${hosts}, through the proxy in HTTP_PROXY; only the user can add hosts, with [shell] network.`,
  ]
}

function wayOut({ modes, looserTool }: ToolFacts): string[] {
  const first = modes.length > 1 ? ['Use the first mode that can do it.'] : []
  if (looserTool) return [...first, `For a command that must change more use ${looserTool}.`]
  if (modes.length > 1 || modes[0] === 'write') return first
  return ['If a task needs more, say so instead of trying another way.']
}

/** The quoting mistakes that models make. */
const powerShellText =
  'The command already runs in PowerShell: do not nest powershell -Command, which expands every $ twice; run a .ps1 file, use -EncodedCommand, or put a backtick before each $.'

export const parameterTexts = {
  timeoutMs: (facts: ToolFacts) =>
    `Kills the command${facts.background ? '' : ', also a server or watcher'}; at most ${facts.maxTimeoutMs}.`,
  background: 'Leaves a server or watcher running, to timeout_ms if given.',
  scratchpad: 'Name under which to save the whole output.',
  privateTmp: 'Gives it a writable TMPDIR, for caches, compilers and test runners.',
  next: 'Lines to run after command, each like it; the first failure ends the list.',
  ignoreErrors: 'next goes on after a failure.',
  offset: 'How many to skip; -100 reads the last 100.',
} as const

export const backgroundTexts = {
  read: 'What a background command printed since the last answer.',
  waitMs: 'Waits so long for more, or the end.',
  until: 'Waits for this text.',
  stop: 'Ends a background command.',
  list: 'Background commands; they end with this session.',
} as const

export const readScratchpadText =
  'Reads a saved output; without name lists all. To search one, run grep on its file.'

/** Of the tools for files. Their changes are held as commands are. */
export const fileToolTexts = {
  read: 'Reads lines of a text file, each behind its number and a tab.',
  write: (modes: ToolFacts['modes']) =>
    `Writes a file whole, or makes it, with its directories. ${heldAs(modes)}`,
  edit: (modes: ToolFacts['modes']) =>
    `Replaces old_string (without the numbers of read_file), which must stand in the file once unless replace_all is true. ${heldAs(modes)}`,
} as const

function heldAs(modes: ToolFacts['modes']): string {
  return `It can change what commands of ${modes.join(' or ')} mode can.`
}

export const ignoreErrorsWithoutNext =
  'ignore_errors continues after a line of a list that fails, so it needs next.'

/** The defaults, for a description if no shell could be opened. */
const unknownConfig = {
  shell: { network: false, timeout_ms: 30_000, max_timeout_ms: 600_000 },
  output: { inline_max_chars: 30_000 },
}

export function factsOf(
  config: Pick<Config, 'shell' | 'output'> | undefined,
  modes: ToolFacts['modes'],
  interpreter: ToolFacts['interpreter'],
): ToolFacts {
  const { shell, output } = config ?? unknownConfig
  return {
    modes,
    network: shell.network,
    interpreter,
    defaultTimeoutMs: Math.min(shell.timeout_ms, shell.max_timeout_ms),
    maxTimeoutMs: shell.max_timeout_ms,
    inlineChars: output.inline_max_chars,
  }
}
