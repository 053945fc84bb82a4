import * as v from 'valibot'
import type { Result, Shell } from '../index.ts'
import { fieldOf, readFields, runLines, shellNamed, type ToolInput } from '../internal.ts'
import { factsOf, parameterTexts as texts, toolDescription } from '../messages/tool.ts'

export type { ToolInput } from '../internal.ts'

/** As many as an MCP client can send. */
const mostNext = 7

/** A tool in a form that any framework takes: name, description, and parameters as JSON Schema. */
export interface ToolDefinition {
  /** `execute_command` */
  readonly name: string
  /** What a model is told of it. */
  readonly description: string
  /** The JSON Schema of its parameters: `properties` are those of `ToolInput`, `required` is `command`. */
  readonly inputSchema: {
    readonly type: 'object'
    readonly properties: Readonly<Record<keyof ToolInput, object>>
    readonly required: string[]
    readonly additionalProperties: false
  }
}

const string = { type: 'string' } as const
const boolean = { type: 'boolean' } as const

/** The definition of a tool that runs commands in this shell, in its current mode. Throws nothing. */
export function toolDefinition(shell: Pick<Shell, 'config' | 'mode'>): ToolDefinition {
  const facts = { ...factsOf(shell.config, [shell.mode], shellNamed(shell.config)), onlyTool: true }
  return {
    name: 'execute_command',
    description: toolDescription(facts),
    inputSchema: {
      type: 'object',
      properties: {
        command: string,
        timeout_ms: {
          ...{ type: 'integer', minimum: 1, default: facts.defaultTimeoutMs },
          description: texts.timeoutMs(facts),
        },
        scratchpad: { ...string, description: texts.scratchpad },
        cwd: string,
        private_tmp: { ...boolean, description: texts.privateTmp },
        next: { type: 'array', items: string, minItems: 1, maxItems: mostNext, description: texts.next },
        ignore_errors: { ...boolean, description: texts.ignoreErrors },
      },
      required: ['command'],
      additionalProperties: false,
    },
  }
}

const lines = `an array of 1 to ${mostNext} command lines`

const inputSchema = v.partial(
  v.strictObject({
    command: fieldOf.string,
    timeout_ms: fieldOf.milliseconds,
    scratchpad: fieldOf.string,
    cwd: fieldOf.string,
    private_tmp: fieldOf.boolean,
    next: v.pipe(v.array(v.string(lines), lines), v.minLength(1, lines), v.maxLength(mostNext, lines)),
    ignore_errors: fieldOf.boolean,
  }),
  ['timeout_ms', 'scratchpad', 'cwd', 'private_tmp', 'next', 'ignore_errors'],
)

/** How `runTool` runs a command. */
export interface ToolOptions {
  /** Ends the command. Default: none. */
  readonly signal?: AbortSignal | undefined
  /** The shell that reads the command, where the tool promises one. Default: the shell's `program`. */
  readonly program?: string | undefined
  /** The tool takes a command alone, so that hints name no other parameter. Default: false. */
  readonly onlyCommand?: boolean | undefined
}

/** What a tool answers. */
export interface ToolAnswer {
  /** For the model. */
  readonly text: string
  /** Of the last line that ran. */
  readonly result: Result
  /** With `next`: of each line that ran. */
  readonly results: readonly Result[]
}

/** Runs a command for a model. Throws a `VitrineError` if nothing ran; its message is meant for the model. */
export async function runTool(
  shell: Shell,
  input: ToolInput,
  { signal, program, onlyCommand }: ToolOptions = {},
): Promise<ToolAnswer> {
  const asked = readFields('input', input, inputSchema)
  const hintFor = onlyCommand ? 'only-command' : 'only-tool'
  const { text, results } = await runLines(shell, asked, { signal, program, hintFor })
  return { text, results, result: results[results.length - 1] as Result }
}
