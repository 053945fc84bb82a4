import { basename } from 'node:path'
import { platform } from '../base/platform.ts'
import type { Shell } from '../index.ts'
import { runTool } from './command.ts'
import type { ToolDefinition } from './definition.ts'
import { type ToolsOptions, tools as toolsOf } from './tools.ts'

/** The parameters of Anthropic's bash tool. */
export interface BashInput {
  /** A line for bash. Absent: it is asked to restart. */
  readonly command?: string | undefined
  /** There is nothing to restart, which the answer says. Default: false. */
  readonly restart?: boolean | undefined
}

/**
 * Anthropic's bash tool (`bash_20250124`), as `client.beta.messages.toolRunner` of `@anthropic-ai/sdk` takes
 * it.
 */
export interface BashTool {
  /** As the API knows it. */
  readonly type: 'bash_20250124'
  /** As the model knows it. */
  readonly name: 'bash'
  /** Ignores values of the wrong type: `run` then reports what is missing. Throws nothing. */
  parse(content: unknown): BashInput
  /** Runs the command and resolves with the text for the model. Rejects with a `VitrineError` if nothing ran. */
  run(input: BashInput, context?: { readonly signal?: AbortSignal | null | undefined }): Promise<string>
}

/**
 * Anthropic's bash tool over this shell. Every command starts afresh: the next command sees nothing of it
 * (cd, variables); tell the model so in the system prompt. bash reads the commands, whatever the shell's `program` is: where
 * there is none, and when nothing else ran, `run` rejects, and the runner reports that to the model.
 */
export function bashTool(shell: Shell): BashTool {
  return {
    type: 'bash_20250124',
    name: 'bash',
    parse: bashInput,
    async run({ command, restart }, context) {
      if (restart === true)
        return 'There is nothing to restart: every command starts in a new shell, in the working directory.'
      const { text } = await runTool(
        shell,
        { command: command ?? '' },
        { signal: context?.signal ?? undefined, program: bashOf(shell), onlyCommand: true },
      )
      return text
    },
  }
}

/** The tool promises bash: where the shell's program is another one, each command names it. */
function bashOf({ config }: Shell): string | undefined {
  return platform === 'windows' || basename(config.shell.program) === 'bash' ? undefined : 'bash'
}

/** Ignores values of the wrong type: `run` then reports what is missing. */
function bashInput(content: unknown): BashInput {
  const { command, restart }: Readonly<Record<string, unknown>> = Object(content)
  return {
    ...(typeof command === 'string' && { command }),
    ...(typeof restart === 'boolean' && { restart }),
  }
}

/** A tool as `client.beta.messages.toolRunner` of `@anthropic-ai/sdk` takes it. */
export interface AnthropicTool {
  /** As the model knows it. */
  readonly name: string
  /** What a model is told of it. */
  readonly description: string
  /** The JSON Schema of its parameters. */
  readonly input_schema: ToolDefinition['inputSchema']
  /** Gives back what the model gave: `run` checks it. Throws nothing. */
  parse(content: unknown): unknown
  /** Runs a call and resolves with the text for the model. Rejects with it where nothing was done, which the runner reports to the model. */
  run(input: unknown, context?: { readonly signal?: AbortSignal | null | undefined }): Promise<string>
}

/**
 * The tools of a shell for the tool runner of Anthropic's SDK. They are those of `vitrine/tool`. Throws INVALID_REQUEST for wrong options.
 */
export function tools(shell: Shell, options?: ToolsOptions): AnthropicTool[] {
  return toolsOf(shell, options).map(({ name, description, inputSchema, run }) => ({
    name,
    description,
    input_schema: inputSchema,
    parse: (content) => content,
    async run(input, context) {
      const { text, isError } = await run(input, { signal: context?.signal ?? undefined })
      if (isError) throw new Error(text)
      return text
    },
  }))
}
