import { constants } from 'node:os'
import { withLine } from '../base/text.ts'
import type { ExecuteRequest, Result, Shell } from '../index.ts'
import { refusedLines, savedText } from '../messages/answer.ts'
import { isVitrineError } from '../messages/error.ts'
import { refusedOfSeveral } from '../messages/result.ts'

/** What OpenAI's shell tool asks for: `ShellAction` of `@openai/agents`. */
export interface ShellAction {
  readonly commands: readonly string[]
  readonly timeoutMs?: number | undefined
  readonly maxOutputLength?: number | undefined
}

/** What it expects in return: `ShellResult` of `@openai/agents`. */
export interface ShellActionResult {
  output: {
    stdout: string
    stderr: string
    outcome: { type: 'exit'; exitCode: number | null } | { type: 'timeout' }
  }[]
  maxOutputLength?: number
}

/** The exit code of a refused command, as on the command line. */
const refusedCode = 125

/**
 * The shell that `shellTool({ shell })` of `@openai/agents` takes. The commands of one action run one after
 * the other, and each gets its own answer. A time-out ends the action, as in OpenAI's own shell; so does a
 * refused command, whose stderr says why it did not run.
 */
export function openAiShell(shell: Shell): { run(action: ShellAction): Promise<ShellActionResult> } {
  return {
    async run({ commands, timeoutMs, maxOutputLength }) {
      const output: ShellActionResult['output'] = []
      for (const [index, command] of commands.entries()) {
        const answer = await answerTo(shell, { command, timeoutMs }, commands.length - index - 1)
        output.push(answer.output)
        if (answer.last) break
      }
      return { output, ...(maxOutputLength !== undefined && { maxOutputLength }) }
    },
  }
}

interface Answer {
  readonly output: ShellActionResult['output'][number]
  /** The following commands do not run. */
  readonly last: boolean
}

async function answerTo(shell: Shell, request: ExecuteRequest, following: number): Promise<Answer> {
  try {
    const result = await shell.execute(request)
    return { output: outputOf(result), last: result.timedOut }
  } catch (error) {
    if (!isVitrineError(error)) throw error
    const stderr = `${refusedOfSeveral(error.message, following)}\n`
    return { output: { stdout: '', stderr, outcome: { type: 'exit', exitCode: refusedCode } }, last: true }
  }
}

/** A command ended by a signal gets exit code 128 plus the signal's number, as in a shell. */
function outputOf(result: Result): ShellActionResult['output'][number] {
  const { stdout, timedOut, exitCode, signal } = result
  const outcome = timedOut
    ? { type: 'timeout' as const }
    : {
        type: 'exit' as const,
        exitCode: exitCode ?? (signal === null ? null : 128 + constants.signals[signal]),
      }
  // What could not be saved is in `output` alone, with what both streams show.
  const isUnsaved = result.truncated && result.omittedBytes === 0
  return isUnsaved
    ? { stdout: result.output, stderr: withNotices('', result), outcome }
    : { stdout, stderr: withNotices(result.stderr, result), outcome }
}

/** Appends what was refused, the hint, and where the whole output is saved, if what is shown is not all of it. */
function withNotices(stderr: string, result: Result): string {
  const { scratchpad, omittedBytes } = result
  const saved = scratchpad && omittedBytes > 0 ? [savedText(scratchpad)] : []
  return [...refusedLines(result), ...saved].reduce((text, line) => withLine(text, `[${line}]\n`), stderr)
}
