import type { Mode, Result } from '../base/types.ts'
import type { ExecuteAllOptions } from '../host/shell-options.ts'
import { listText } from '../messages/answer.ts'
import { isVitrineError, VitrineError } from '../messages/error.ts'
import { ignoreErrorsWithoutNext } from '../messages/tool.ts'
import type { ExecuteRequest } from '../request/request.ts'

/** The parameters of `execute_command`. */
export interface ToolInput {
  /** A shell line. */
  readonly command: string
  /** Milliseconds. Default: `[shell] timeout_ms`. */
  readonly timeout_ms?: number | undefined
  /** Saves the whole output under this name. Default: only long output is saved. */
  readonly scratchpad?: string | undefined
  /** Default: the shell's directory, to which it is relative. */
  readonly cwd?: string | undefined
  /**
   * Gives the command a writable TMPDIR of its own. Default: in read mode the shell's `privateTmp`, in workspace mode true. No
   * effect in write mode.
   */
  readonly private_tmp?: boolean | undefined
  /** Further lines to run in order after `command`, 7 at most, to the first that fails. Default: none. */
  readonly next?: readonly string[] | undefined
  /** With `next`: continues after a line that fails. Default: false. */
  readonly ignore_errors?: boolean | undefined
}

/** The shell's part in a call of a tool. */
interface LineShell {
  readonly config: { readonly output: { readonly inline_max_chars: number } }
  executeAll(requests: readonly ExecuteRequest[], options: ExecuteAllOptions): Promise<readonly Result[]>
}

interface LineOptions extends Pick<ExecuteAllOptions, 'signal' | 'onOutput' | 'hintFor'> {
  /** The shell that reads the lines, where the tool promises one. */
  readonly program?: string | undefined
  /** A mode as strict as the shell's, or stricter. */
  readonly mode?: Mode | undefined
  /** Whether the server ends, and with it its commands. */
  readonly isEnding?: () => boolean
}

/** What a call of a tool answers. */
export interface LinesRun {
  readonly lines: readonly string[]
  /** Of the lines that ran. */
  readonly results: readonly Result[]
  readonly text: string
}

/** Runs the lines of one call of a tool, which share the length of one answer. Throws if none ran. */
export async function runLines(
  shell: LineShell,
  asked: ToolInput,
  { program, mode, isEnding, ...options }: LineOptions,
): Promise<LinesRun> {
  const { command, cwd, scratchpad, timeout_ms: timeoutMs, private_tmp: privateTmp, next = [] } = asked
  const ignoreErrors = asked.ignore_errors ?? false
  if (ignoreErrors && next.length === 0)
    throw new VitrineError({
      code: 'INVALID_REQUEST',
      problem: { kind: 'usage', detail: ignoreErrorsWithoutNext },
    })
  const lines = [command, ...next]
  const inlineChars = Math.floor(shell.config.output.inline_max_chars / lines.length)
  const each = { program, mode, cwd, scratchpad, timeoutMs, privateTmp, merged: true }
  const requests = lines.map((line) => ({ ...each, command: line }))
  const ran = await ranOf(
    shell.executeAll(requests, { ...options, inlineMaxChars: inlineChars, ignoreErrors }),
  )
  const onlyTool = options.hintFor !== 'tool'
  const about = {
    timeoutMs: timeoutMs ?? 0,
    scratchpad,
    inlineChars,
    onlyTool,
    ending: isEnding?.() ?? false,
  }
  return { lines, results: ran.results, text: listText({ lines, ...ran }, about) }
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
