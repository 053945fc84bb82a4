import { jsonSchema, type Tool, tool } from 'ai'
import type { Shell } from '../index.ts'
import type { ToolInput } from '../internal.ts'
import { runTool, type ToolAnswer, toolDefinition } from './command.ts'
import type { ToolDefinition } from './definition.ts'
import type { ShellToolAnswer } from './tool-of.ts'
import { type NeedsApproval, type ToolsOptions, tools as toolsOf } from './tools.ts'

/** What `tool()` of the AI SDK takes besides. */
export interface AiSdkOptions {
  /** Whether a call needs approval before it runs, as `tool()` takes it. Default: no call does. */
  readonly needsApproval?: Tool<ToolInput, ToolAnswer>['needsApproval']
}

/**
 * A tool of the AI SDK (`ai` 6 and later) that runs commands in this shell. Its output is the answer with the
 * whole Result; the model sees only the text. Aborting the generation kills the command. A call throws what `runTool` throws, which
 * the SDK tells the model.
 */
export function shellTool(shell: Shell, { needsApproval }: AiSdkOptions = {}): Tool<ToolInput, ToolAnswer> {
  const { description, inputSchema } = toolDefinition(shell)
  return tool({
    description,
    inputSchema: schemaOf<ToolInput>(inputSchema),
    ...(needsApproval !== undefined && { needsApproval }),
    execute: (input, { abortSignal }) => runTool(shell, input, { signal: abortSignal }),
    toModelOutput: ({ output }) => ({ type: 'text', value: output.text }),
  })
}

/** What `tools` of the AI SDK takes. */
export interface AiSdkToolsOptions extends ToolsOptions {
  /** Whether a call needs approval before it runs. Default: no call does. */
  readonly needsApproval?: NeedsApproval | undefined
}

/**
 * The tools of a shell for the AI SDK, by name: `generateText({ tools: tools(shell), … })`. They are those of `vitrine/tool`. Throws
 * INVALID_REQUEST for wrong options.
 */
export function tools(
  shell: Shell,
  { needsApproval = false, ...options }: AiSdkToolsOptions = {},
): Record<string, Tool<unknown, ShellToolAnswer>> {
  const entries = toolsOf(shell, options).map(({ name, description, inputSchema, run }) => [
    name,
    tool({
      description,
      inputSchema: schemaOf<unknown>(inputSchema),
      needsApproval: async (input) =>
        typeof needsApproval === 'boolean' ? needsApproval : needsApproval({ name, input }),
      execute: (input, { abortSignal }) => run(input, { signal: abortSignal }),
      toModelOutput: ({ output: { text, isError } }) => ({
        type: isError ? 'error-text' : 'text',
        value: text,
      }),
    }),
  ])
  return Object.fromEntries(entries)
}

function schemaOf<T>({ properties, ...schema }: ToolDefinition['inputSchema']) {
  return jsonSchema<T>({ ...schema, properties: { ...properties } })
}
