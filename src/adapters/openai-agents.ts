import { constants } from 'node:os'
import type { Result, Shell } from '../index.ts'
import { savedLine } from '../result/explain-mcp.ts'

/** What OpenAI's shell tool asks for: `ShellAction` of `@openai/agents`. */
export interface ShellAction {
  readonly commands: readonly string[]
  readonly timeoutMs?: number | undefined
  readonly maxOutputLength?: number | undefined
}

/** What it answers: `ShellResult` of `@openai/agents`. */
export interface ShellActionResult {
  output: {
    stdout: string
    stderr: string
    outcome: { type: 'exit'; exitCode: number | null } | { type: 'timeout' }
  }[]
  maxOutputLength?: number
}

/**
 * The shell that `shellTool({ shell })` of `@openai/agents` takes. The commands of one action run one after the other;
 * a time-out ends the action, as in OpenAI's own. Throws VitrineError when a command never ran.
 */
export function openAiShell(shell: Shell): { run(action: ShellAction): Promise<ShellActionResult> } {
  return {
    async run({ commands, timeoutMs, maxOutputLength }) {
      const output: ShellActionResult['output'] = []
      for (const command of commands) {
        const result = await shell.execute({ command, timeoutMs })
        output.push(outputOf(result))
        if (result.timedOut) break
      }
      return { output, ...(maxOutputLength !== undefined && { maxOutputLength }) }
    },
  }
}

/** A command that a signal ended has no exit code of its own: 128 and the signal's number, as a shell says it. */
function outputOf(result: Result): ShellActionResult['output'][number] {
  const { stdout, timedOut, exitCode, signal } = result
  const outcome = timedOut
    ? { type: 'timeout' as const }
    : {
        type: 'exit' as const,
        exitCode: exitCode ?? (signal === null ? null : 128 + constants.signals[signal]),
      }
  return { stdout, stderr: withNotice(result), outcome }
}

/** Where the whole output stands, when what is shown is not whole. */
function withNotice({ stderr, scratchpad, omittedBytes }: Result): string {
  if (!scratchpad || omittedBytes === 0) return stderr
  return `${stderr}${stderr === '' || stderr.endsWith('\n') ? '' : '\n'}${savedLine(scratchpad)}\n`
}
