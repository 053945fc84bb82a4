import type { Config } from '../config/schema.ts'
import { platform } from '../platform.ts'
import type { ToolFacts } from './explain-mcp.ts'
import type { Mode } from './result.ts'

/** What reads a command line here. */
const interpreter: ToolFacts['interpreter'] = platform === 'windows' ? 'powershell' : 'sh'

/** Facts for a description when no shell could be opened: the defaults. */
const unknownConfig = {
  shell: { network: false, timeout_ms: 30_000, max_timeout_ms: 600_000 },
  output: { inline_max_chars: 30_000 },
}

/** What a tool's description tells, from the configuration in force. */
export function factsOf(
  config: Pick<Config, 'shell' | 'output'> | undefined,
  mode: Mode,
  hasWriteTool: boolean,
): ToolFacts {
  const { shell, output } = config ?? unknownConfig
  return {
    mode,
    hasWriteTool,
    network: shell.network,
    interpreter,
    defaultTimeoutMs: Math.min(shell.timeout_ms, shell.max_timeout_ms),
    maxTimeoutMs: shell.max_timeout_ms,
    inlineChars: output.inline_max_chars,
  }
}
