import type { Result, Shell } from '../index.ts'
import { type FieldRules, fieldOf, readFields, shellNamed } from '../internal.ts'
import { toolDescription } from '../messages/mcp/mcp.ts'
import { parameterTexts } from '../messages/mcp/parameters.ts'
import { factsOf, resultText } from '../messages/mcp/tool.ts'

export interface ToolInput {
  readonly command: string
  /** Milliseconds; default `[shell] timeout_ms`. */
  readonly timeout_ms?: number | undefined
  /** Saves the whole output under this name. */
  readonly scratchpad?: string | undefined
  readonly cwd?: string | undefined
  /**
   * Gives the command a writable TMPDIR of its own. Default: in read mode the shell's `privateTmp`, in workspace mode true. No
   * effect in write mode.
   */
  readonly private_tmp?: boolean | undefined
}

/** A tool in a form that any framework takes: name, description, and parameters as JSON Schema. */
export interface ToolDefinition {
  readonly name: string
  readonly description: string
  readonly inputSchema: {
    readonly type: 'object'
    readonly properties: Readonly<Record<keyof ToolInput, object>>
    readonly required: string[]
    readonly additionalProperties: false
  }
}

/** The definition of a tool that runs commands in this shell, in its current mode. */
export function toolDefinition(shell: Pick<Shell, 'config' | 'mode'>): ToolDefinition {
  const facts = factsOf(shell.config, shell.mode, undefined, shellNamed(shell.config))
  return {
    name: 'execute_command',
    description: toolDescription(facts),
    inputSchema: {
      type: 'object',
      properties: {
        command: { type: 'string', description: parameterTexts.command },
        timeout_ms: {
          type: 'integer',
          minimum: 1,
          description: parameterTexts.timeoutMs(facts),
          default: facts.defaultTimeoutMs,
        },
        scratchpad: { type: 'string', description: parameterTexts.scratchpad },
        cwd: { type: 'string', description: parameterTexts.cwd },
        private_tmp: { type: 'boolean', description: parameterTexts.privateTmp },
      },
      required: ['command'],
      additionalProperties: false,
    },
  }
}

const inputFields: FieldRules<ToolInput> = {
  command: fieldOf.string,
  timeout_ms: fieldOf.milliseconds,
  scratchpad: fieldOf.string,
  cwd: fieldOf.string,
  private_tmp: fieldOf.boolean,
}

interface ToolOptions {
  readonly signal?: AbortSignal | undefined
  /** The shell that reads the command, where the tool promises one. */
  readonly program?: string | undefined
}

const optionFields: FieldRules<ToolOptions> = { signal: fieldOf.signal, program: fieldOf.string }

export interface ToolAnswer {
  readonly text: string
  readonly result: Result
}

/** Runs a command for a model. Throws VitrineError if nothing ran; its message is meant for the model. */
export async function runTool(
  shell: Shell,
  input: ToolInput,
  options: ToolOptions = {},
): Promise<ToolAnswer> {
  const read = readFields('input', input, inputFields)
  const { command, cwd, scratchpad, timeout_ms: timeoutMs, private_tmp: privateTmp } = read
  const { signal, program } = readFields('options', options, optionFields)
  const request = { command, program, cwd, scratchpad, timeoutMs, privateTmp, merged: true }
  const result = await shell.execute(request, { signal, hintFor: 'tool' })
  const inlineChars = shell.config.output.inline_max_chars
  return { result, text: resultText(result, { timeoutMs: timeoutMs ?? 0, scratchpad, inlineChars }) }
}
