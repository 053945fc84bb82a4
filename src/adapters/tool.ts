import * as v from 'valibot'
import type { Result, Shell } from '../index.ts'
import { fieldOf, readFields, shellNamed } from '../internal.ts'
import { listText } from '../messages/answer.ts'
import { isVitrineError, VitrineError } from '../messages/error.ts'
import { factsOf, ignoreErrorsWithoutNext, parameterTexts, toolDescription } from '../messages/tool.ts'

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
  /** Further lines to run in order after `command`, 7 at most, to the first that fails. */
  readonly next?: readonly string[] | undefined
  /** With `next`: continues after a line that fails. */
  readonly ignore_errors?: boolean | undefined
}

/** As many as an MCP client can send. */
const mostNext = 7

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
  const facts = { ...factsOf(shell.config, shell.mode, undefined, shellNamed(shell.config)), onlyTool: true }
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
        next: {
          type: 'array',
          items: { type: 'string' },
          minItems: 1,
          maxItems: mostNext,
          description: parameterTexts.next,
        },
        ignore_errors: { type: 'boolean', description: parameterTexts.ignoreErrors },
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

interface ToolOptions {
  readonly signal?: AbortSignal | undefined
  /** The shell that reads the command, where the tool promises one. */
  readonly program?: string | undefined
  /** The tool takes a command alone, so that hints name no other parameter. */
  readonly onlyCommand?: boolean | undefined
}

const optionSchema = v.partial(
  v.strictObject({ signal: fieldOf.signal, program: fieldOf.string, onlyCommand: fieldOf.boolean }),
)

export interface ToolAnswer {
  readonly text: string
  /** Of the last line that ran. */
  readonly result: Result
  /** With `next`: of each line that ran. */
  readonly results: readonly Result[]
}

/** Runs a command for a model. Throws VitrineError if nothing ran; its message is meant for the model. */
export async function runTool(
  shell: Shell,
  input: ToolInput,
  options: ToolOptions = {},
): Promise<ToolAnswer> {
  const read = readFields('input', input, inputSchema)
  const { command, cwd, scratchpad, timeout_ms: timeoutMs, private_tmp: privateTmp, next = [] } = read
  if (read.ignore_errors && next.length === 0)
    throw new VitrineError({
      code: 'INVALID_REQUEST',
      problem: { kind: 'usage', detail: ignoreErrorsWithoutNext },
    })
  const { signal, program, onlyCommand } = readFields('options', options, optionSchema)
  const lines = [command, ...next]
  const inlineChars = Math.floor(shell.config.output.inline_max_chars / lines.length)
  const requests = lines.map((command) => ({
    command,
    program,
    cwd,
    scratchpad,
    timeoutMs,
    privateTmp,
    merged: true,
  }))
  const { results, refused } = await ranOf(
    shell.executeAll(requests, {
      signal,
      hintFor: onlyCommand ? 'only-command' : 'only-tool',
      inlineMaxChars: inlineChars,
      ignoreErrors: read.ignore_errors ?? false,
    }),
  )
  const asked = { timeoutMs: timeoutMs ?? 0, scratchpad, inlineChars, onlyTool: true }
  return {
    result: results[results.length - 1] as Result,
    results,
    text: listText({ lines, results, refused }, asked),
  }
}

/** A list may be refused halfway: the first line can remove the directory of the second. */
async function ranOf(
  list: Promise<readonly Result[]>,
): Promise<{ results: readonly Result[]; refused?: VitrineError }> {
  try {
    return { results: await list }
  } catch (error) {
    if (!isVitrineError(error) || !error.results?.length) throw error
    // The results are text, because no other encoding was requested.
    return { results: error.results as readonly Result[], refused: error }
  }
}
