import type { Result } from '../index.ts'
import { refusalText } from '../messages/answer.ts'
import { isVitrineError } from '../messages/error.ts'
import { type Parameters, readInput, schemaOf, type ToolDefinition } from './definition.ts'

/** What a tool answers. */
export interface ShellToolAnswer {
  /** For the model. */
  readonly text: string
  /** Nothing was done; `text` says why, and what to do. */
  readonly isError: boolean
  /** Of the lines that ran: none where the tool runs no commands. */
  readonly results: readonly Result[]
}

/** How a tool is called. */
export interface CallOptions {
  /** Ends what the call does. Default: none. */
  readonly signal?: AbortSignal | undefined
}

/** One tool of a set: its definition, and what runs it. */
export interface ShellTool extends ToolDefinition {
  /** Runs a call with what the model gave. A refusal is an answer. Throws the reason of `signal` when that aborted before, and what `approveMode` throws. */
  run(input: unknown, options?: CallOptions): Promise<ShellToolAnswer>
}

export type Run<T> = (
  asked: T,
  options: CallOptions,
) => Promise<Partial<ShellToolAnswer> & { readonly text: string }>

/** Makes a tool of its work. A refusal is an answer. */
export function toolOf<T>(
  about: Pick<ToolDefinition, 'name' | 'description'>,
  parameters: Parameters,
  needed: string[],
  work: Run<T>,
): ShellTool {
  return {
    ...about,
    inputSchema: schemaOf(parameters, needed),
    async run(input, options = {}) {
      try {
        return {
          isError: false,
          results: [],
          ...(await work(readInput<T>(input, parameters, needed), options)),
        }
      } catch (error) {
        if (!isVitrineError(error)) throw error
        return { text: refusalText(error), isError: true, results: [] }
      }
    },
  }
}
