import { jsonSchema, type Tool, tool } from 'ai'
import type { Shell } from '../index.ts'
import { runTool, type ToolAnswer, type ToolInput, toolDefinition } from './tool.ts'

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
    inputSchema: jsonSchema<ToolInput>({ ...inputSchema, properties: { ...inputSchema.properties } }),
    ...(needsApproval !== undefined && { needsApproval }),
    execute: (input, { abortSignal }) => runTool(shell, input, { signal: abortSignal }),
    toModelOutput: ({ output }) => ({ type: 'text', value: output.text }),
  })
}
