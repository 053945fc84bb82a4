import * as v from 'valibot'
import type { Shell } from '../index.ts'
import {
  BackgroundTools,
  fieldOf,
  functionField,
  type JobAnswer,
  type Mode,
  modes,
  oneOf,
  type ReadInput,
  readFields,
  readSaved,
  refuseValue,
  runLines,
  shellNamed,
  type ToolInput,
} from '../internal.ts'
import {
  backgroundTexts,
  factsOf,
  modeTexts,
  parameterTexts,
  readScratchpadText,
  type ToolFacts,
  toolDescription,
} from '../messages/tool.ts'
import { parametersOf, required } from './command.ts'
import { parameter } from './definition.ts'
import { fileTools } from './files.ts'
import { type Run, type ShellTool, type ShellToolAnswer, toolOf } from './tool-of.ts'

/** A model asks for a looser mode. */
export interface ModeRequest {
  /** The mode that it asks for. */
  readonly mode: Mode
  /** The shell's mode. */
  readonly from: Mode
  /** Why, in its own words. */
  readonly reason: string
}

/** What tools a set has. */
export interface ToolsOptions {
  /**
   * The modes of which a call can choose one, the strictest if it says nothing; none looser than the shell's. Default: all of them, or
   * `write` alone where the sandbox is switched off.
   */
  readonly modes?: readonly Mode[] | undefined
  /**
   * Whether calls can leave commands running: `read_command`, `stop_command` and `list_commands` are tools then. Default: true where one can
   * run in another mode than read.
   */
  readonly background?: boolean | undefined
  /**
   * Says whether the shell may take a looser mode, which a model asks for with the tool `set_mode`. Default: none, and there is no such
   * tool.
   */
  readonly approveMode?: ((request: ModeRequest) => boolean | Promise<boolean>) | undefined
  /** Whether `read_file`, `write_file` and `edit_file` are in the set. Default: false. */
  readonly files?: boolean | undefined
}

/** A call that a model makes. */
export interface ToolCall {
  /** The tool. */
  readonly name: string
  /** Its parameters, as the model gave them. */
  readonly input: unknown
}

/** Whether a call waits for the user: all or none, or what the function says of it. */
export type NeedsApproval = boolean | ((call: ToolCall) => boolean | Promise<boolean>)

const schema = v.partial(
  v.strictObject({
    modes: v.pipe(v.array(oneOf(...modes)), v.minLength(1, 'at least one mode')),
    background: fieldOf.boolean,
    approveMode: functionField<NonNullable<ToolsOptions['approveMode']>>(),
    files: fieldOf.boolean,
  }),
)

/**
 * The tools of a shell, in a form that any framework takes: `execute_command`, `read_scratchpad`, those for commands in the background, with
 * `files` those for files, and with `approveMode` `set_mode`. No text names a tool that is not there. What runs in the background ends with
 * the shell. Throws INVALID_REQUEST for wrong options.
 */
export function tools(shell: Shell, options: ToolsOptions = {}): ShellTool[] {
  const { approveMode, files, ...given } = readFields('options', options, schema)
  const offered = offeredBy(shell, given.modes)
  const looser = approveMode && shell.config.shell.sandbox ? modes.slice(modes.indexOf(shell.mode) + 1) : []
  const { background = [...offered, ...looser].some((mode) => mode !== 'read') } = given
  const jobs = background ? new BackgroundTools() : undefined
  return [
    executeTool(shell, { offered, looser, jobs }),
    scratchpadTool(shell),
    ...(jobs ? backgroundTools(jobs) : []),
    ...(files ? fileTools(shell, [...offered, ...looser]) : []),
    ...(approveMode && looser.length > 0 ? [modeTool(shell, looser, approveMode)] : []),
  ]
}

/** Write mode alone where nothing else can be enforced. */
function offeredBy({ mode, config }: Shell, asked?: readonly Mode[]): ToolFacts['modes'] {
  const all = config.shell.sandbox ? modes.slice(0, modes.indexOf(mode) + 1) : [mode]
  const stranger = asked?.find((each) => !all.includes(each))
  if (stranger) refuseValue('modes', all.join(' or '), stranger)
  const [first = mode, ...rest] = all.filter((each) => !asked || asked.includes(each))
  return [first, ...rest]
}

interface Commands {
  readonly offered: ToolFacts['modes']
  readonly looser: readonly Mode[]
  readonly jobs: BackgroundTools | undefined
}

interface CommandInput extends ToolInput {
  readonly mode?: Mode
  readonly background?: boolean
}

function executeTool(shell: Shell, { offered, looser, jobs }: Commands): ShellTool {
  const facts = {
    ...factsOf(shell.config, offered, shellNamed(shell.config)),
    looserTool: looser.length > 0 ? 'set_mode' : undefined,
    background: jobs !== undefined,
  }
  const all = [...offered, ...looser]
  const choice = all.length > 1 && { mode: parameter.oneOf(...all)({ default: offered[0] }) }
  const parameters = { ...choice, ...parametersOf(facts) }
  const about = { name: 'execute_command', description: toolDescription(facts) }
  const run: Run<CommandInput> = ({ mode = offered[0], background, ...asked }, { signal }) => {
    const options = { signal, hintFor: 'tool' } as const
    return background && jobs
      ? answerOf(jobs.start(shell, mode, asked, options))
      : runLines(shell, asked, { mode, ...options })
  }
  return toolOf(about, parameters, required, run)
}

function scratchpadTool({ scratchpad, config }: Shell): ShellTool {
  const { text, offset, count, oneOf } = parameter
  const parameters = {
    name: text(),
    unit: oneOf('lines', 'bytes')({ default: 'lines' }),
    offset: offset({ description: parameterTexts.offset }),
    limit: count(),
  }
  const about = { name: 'read_scratchpad', description: readScratchpadText }
  const { inline_max_chars: most } = config.output
  return toolOf<ReadInput>(about, parameters, [], (asked) => readSaved(scratchpad, asked, most))
}

/** For commands that `execute_command` has left running. */
function backgroundTools(jobs: BackgroundTools): ShellTool[] {
  const id = parameter.text()
  const { waitMs, until, ...texts } = backgroundTexts
  const waiting = {
    wait_ms: parameter.wait({ default: 0, description: waitMs }),
    until: parameter.text({ description: until }),
  }
  const read: Run<ReadCommand> = ({ id, wait_ms: wait = 0, until }, { signal = never }) =>
    answerOf(jobs.read(id, wait, until, signal))
  const stop: Run<{ readonly id: string }> = ({ id }) => answerOf(jobs.stop(id))
  return [
    toolOf({ name: 'read_command', description: texts.read }, { id, ...waiting }, ['id'], read),
    toolOf({ name: 'stop_command', description: texts.stop }, { id }, ['id'], stop),
    toolOf({ name: 'list_commands', description: texts.list }, {}, [], async () => ({ text: jobs.list() })),
  ]
}

interface ReadCommand {
  readonly id: string
  readonly wait_ms?: number
  readonly until?: string
}

const never = new AbortController().signal

async function answerOf(answer: Promise<JobAnswer>): Promise<Pick<ShellToolAnswer, 'text' | 'results'>> {
  const { text, result } = await answer
  return { text, results: result ? [result] : [] }
}

interface ModeInput {
  readonly mode: Mode
  readonly reason: string
}

function modeTool(
  shell: Shell,
  looser: readonly Mode[],
  approve: NonNullable<ToolsOptions['approveMode']>,
): ShellTool {
  const about = {
    name: 'set_mode',
    description: `Sets the loosest mode in which commands can run. The user is asked about a looser one. ${looser.map((mode) => modeTexts[mode]).join(' ')}`,
  }
  const reason = 'For the user: what to run, and why that mode.'
  const parameters = { mode: parameter.oneOf(...modes)(), reason: parameter.text({ description: reason }) }
  const run: Run<ModeInput> = async ({ mode, reason }) => {
    const from = shell.mode
    const isLooser = modes.indexOf(mode) > modes.indexOf(from)
    if (isLooser && !(await approve({ mode, from, reason })))
      return {
        text: `NOT_APPROVED: The user keeps commands in ${from} mode. Do not try the same in another way; ask what the user wants instead.`,
        isError: true,
      }
    shell.mode = mode
    return {
      text: `Commands can run in ${mode} mode now${mode === 'read' ? '' : `: give execute_command mode "${mode}"`}.`,
    }
  }
  return toolOf(about, parameters, ['mode', 'reason'], run)
}
