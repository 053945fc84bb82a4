import { constants } from 'node:os'
import { tried } from '../base/errno.ts'
import { withLine } from '../base/text.ts'
import type { Result, Shell } from '../index.ts'
import { refusedLines, savedText } from '../messages/answer.ts'
import { isVitrineError } from '../messages/error.ts'
import { describeRefusal } from '../messages/refusal.ts'
import { refusedOfSeveral } from '../messages/result.ts'
import type { ToolDefinition } from './definition.ts'
import { type NeedsApproval, type ToolsOptions, tools as toolsOf } from './tools.ts'

/** What OpenAI's shell tool asks for: `ShellAction` of `@openai/agents`. */
export interface ShellAction {
  /** Shell lines. */
  readonly commands: readonly string[]
  /** Milliseconds for each. Default: `[shell] timeout_ms`. */
  readonly timeoutMs?: number | undefined
  /** For the model's side, which cuts. Default: none. */
  readonly maxOutputLength?: number | undefined
}

/** What it expects in return: `ShellResult` of `@openai/agents`. */
export interface ShellActionResult {
  /**
   * Of each command that ran or was refused: `stdout`, `stderr`, and its `outcome`, with an `exitCode` of 128 plus the number of a signal,
   * 125 where it was refused.
   */
  output: {
    stdout: string
    stderr: string
    outcome: { type: 'exit'; exitCode: number | null } | { type: 'timeout' }
  }[]
  /** As asked for. Absent: it was not. */
  maxOutputLength?: number
}

/** The exit code of a refused command, as on the command line. */
const refusedCode = 125

/**
 * The shell that `shellTool({ shell })` of `@openai/agents` takes. The commands of one action run one after
 * the other, and each gets its own answer. A time-out ends the action, as in OpenAI's own shell; so does a
 * refused command, whose stderr says why it did not run: it throws no refusal.
 */
export function openAiShell(shell: Shell): { run(action: ShellAction): Promise<ShellActionResult> } {
  return {
    async run({ commands, timeoutMs, maxOutputLength }) {
      const output: ShellActionResult['output'] = []
      try {
        for (const command of commands) {
          const result = await shell.execute({ command, timeoutMs }, { hintFor: 'only-command' })
          output.push(outputOf(result))
          if (result.timedOut) break
        }
      } catch (error) {
        if (!isVitrineError(error)) throw error
        const said = describeRefusal(error.refusal, 'only-command')
        const stderr = `${refusedOfSeveral(said, commands.length - output.length - 1)}\n`
        output.push({ stdout: '', stderr, outcome: { type: 'exit', exitCode: refusedCode } })
      }
      return { output, ...(maxOutputLength !== undefined && { maxOutputLength }) }
    },
  }
}

/** A command ended by a signal gets exit code 128 plus the signal's number, as in a shell. */
function outputOf(result: Result): ShellActionResult['output'][number] {
  const { stdout, stderr, timedOut, exitCode, signal } = result
  const code = exitCode ?? (signal === null ? null : 128 + constants.signals[signal])
  const outcome = timedOut ? ({ type: 'timeout' } as const) : ({ type: 'exit', exitCode: code } as const)
  // What could not be saved is in `output` alone, with what both streams show.
  const isUnsaved = result.truncated && result.omittedBytes === 0
  const shown = isUnsaved ? { stdout: result.output, stderr: '' } : { stdout, stderr }
  return { stdout: shown.stdout, stderr: withNotices(shown.stderr, result), outcome }
}

/** Appends what was refused, the hint, and where the whole output is saved, if what is shown is not all of it. */
function withNotices(stderr: string, result: Result): string {
  const { scratchpad, omittedBytes } = result
  const saved = scratchpad && omittedBytes > 0 ? [savedText(scratchpad)] : []
  return [...refusedLines(result), ...saved].reduce((text, line) => withLine(text, `[${line}]\n`), stderr)
}

/** What `tools` of the Agents SDK takes. */
export interface AgentToolsOptions extends ToolsOptions {
  /** Whether a call needs approval before it runs. Default: no call does. */
  readonly needsApproval?: NeedsApproval | undefined
}

/** A tool as `new Agent({ tools })` of `@openai/agents` takes it: its `FunctionTool`. */
export interface AgentTool {
  /** As the SDK knows it. */
  readonly type: 'function'
  /** As the model knows it. */
  readonly name: string
  /** What a model is told of it. */
  readonly description: string
  /** The JSON Schema of its parameters. */
  readonly parameters: ToolDefinition['inputSchema']
  /** A model need not give every parameter. */
  readonly strict: false
  /** Runs a call with JSON and resolves with the text for the model. Throws as `run` of `vitrine/tool` does. */
  invoke(context: unknown, input: string, details?: { readonly signal?: AbortSignal }): Promise<string>
  /** Throws what the function of the options throws. */
  needsApproval(context: unknown, input: unknown): Promise<boolean>
  /** It always is. Throws nothing. */
  isEnabled(): Promise<boolean>
}

/** The tools of a shell for the Agents SDK. They are those of `vitrine/tool`. Throws INVALID_REQUEST for wrong options. */
export function tools(
  shell: Shell,
  { needsApproval = false, ...options }: AgentToolsOptions = {},
): AgentTool[] {
  return toolsOf(shell, options).map(({ name, description, inputSchema, run }) => ({
    type: 'function',
    ...{ name, description, parameters: inputSchema, strict: false },
    // What is no JSON is refused as what it is: a string.
    invoke: async (_context, input, { signal } = {}) =>
      (await run(tried(() => JSON.parse(input)) ?? input, { signal })).text,
    needsApproval: async (_context, input) =>
      typeof needsApproval === 'boolean' ? needsApproval : needsApproval({ name, input }),
    isEnabled: async () => true,
  }))
}
