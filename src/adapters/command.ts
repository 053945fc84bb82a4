import * as v from 'valibot'
import type { Result, Shell } from '../index.ts'
import { runLines, shellNamed, type ToolInput } from '../internal.ts'
import { isVitrineError } from '../messages/error.ts'
import { describeRefusal } from '../messages/refusal.ts'
import { factsOf, type ToolFacts, parameterTexts as texts, toolDescription } from '../messages/tool.ts'
import { type Parameters, parameter, readInput, schemaOf, type ToolDefinition } from './definition.ts'

/** As many as an MCP client can send. */
const mostNext = 7
const list = `an array of 1 to ${mostNext} command lines`
const lines = {
  json: {
    type: 'array',
    items: { type: 'string' },
    minItems: 1,
    maxItems: mostNext,
    description: texts.next,
  },
  schema: v.pipe(v.array(v.string(list), list), v.minLength(1, list), v.maxLength(mostNext, list)),
}

export const required = ['command']

export function parametersOf(facts: ToolFacts): Parameters {
  const { text, flag, milliseconds } = parameter
  return {
    command: text(),
    timeout_ms: milliseconds({ default: facts.defaultTimeoutMs, description: texts.timeoutMs(facts) }),
    scratchpad: text({ description: texts.scratchpad }),
    cwd: text(),
    private_tmp: flag({ description: texts.privateTmp }),
    next: lines,
    ignore_errors: flag({ description: texts.ignoreErrors }),
    ...(facts.background && { background: flag({ description: texts.background }) }),
  }
}

/** The definition of one tool that runs commands in this shell, in its current mode. Throws nothing. */
export function toolDefinition(shell: Pick<Shell, 'config' | 'mode'>): ToolDefinition {
  const facts = { ...factsOf(shell.config, [shell.mode], shellNamed(shell.config)), onlyTool: true }
  const inputSchema = schemaOf(parametersOf(facts), required)
  return { name: 'execute_command', description: toolDescription(facts), inputSchema }
}

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
  const hintFor = onlyCommand ? 'only-command' : 'only-tool'
  try {
    const parameters = parametersOf(factsOf(shell.config, [shell.mode], ''))
    const asked = readInput<ToolInput>(input, parameters, required)
    const { text, results } = await runLines(shell, asked, { signal, program, hintFor })
    return { text, results, result: results[results.length - 1] as Result }
  } catch (error) {
    if (isVitrineError(error)) error.message = describeRefusal(error.refusal, hintFor)
    throw error
  }
}
