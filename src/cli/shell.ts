import { type ExecuteRequest, type Flags, openShell, type Shell } from '../internal.ts'
import { prefixed } from '../messages/cli/run.ts'
import { linesAfterShell, shellGreeting } from '../messages/cli/shell.ts'
import { checkSandboxed, loadConfigFor, sayIgnored, shellOptions } from './configuration.ts'
import { grammar } from './grammar.ts'
import { OutputRelay } from './run/relay.ts'
import { runStreaming } from './run/run.ts'
import { standardError } from './run/sink.ts'
import { parseAll } from './subcommand.ts'
import { isTerminal } from './terminal.ts'

const from = 'vitrine shell'

/** The longest time that timers of 32 bits leave room for. */
const longestMs = 24 * 24 * 60 * 60 * 1000

/** A person ends it. */
const unbounded: Flags = {
  'shell.timeout_ms': { value: longestMs, from },
  'shell.max_timeout_ms': { value: longestMs, from },
  'output.max_bytes': { value: 0, from },
}

/** `vitrine shell`: the user's own shell in a terminal of the mode; with another standard input it reads that as a script. */
export async function main(args: readonly string[]): Promise<number> {
  const options = parseAll('shell', args, grammar.shell)
  // Imported late: a script needs none of it.
  const pty = isTerminal(0) ? await import('./run/pty.ts') : undefined
  pty?.checkTerminal(from)
  const relay = new OutputRelay()
  const shell = await openShell({
    ...(await shellOptions(options)),
    config: await loadConfigFor(options, unbounded),
    approver: options.flags.has('ask')
      ? (await import('./run/ask.ts')).askingApprover(pty ? undefined : relay)
      : undefined,
  })
  checkSandboxed([shell.mode], options, shell.config.shell.backend)
  await sayIgnored(shell)
  const request = { argv: [programFor(shell)] }
  if (!pty) return runScript(shell, request, relay)
  await standardError.write(prefixed(shellGreeting(shell.mode)))
  return pty.runInTerminal(shell, request, linesAfterShell)
}

/** Yours; a container may not have it. */
function programFor({ config }: Shell): string {
  const own = config.shell.backend === 'local' ? process.env['SHELL'] : undefined
  return own || 'sh'
}

function runScript(shell: Shell, request: ExecuteRequest, relay: OutputRelay): Promise<number> {
  relay.onCancel = () => void shell.close()
  return runStreaming(shell, { each: false, requests: [request] }, relay)
}
