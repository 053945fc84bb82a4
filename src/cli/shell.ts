import { type ExecuteRequest, type Mode, openShell, type Result, type Shell } from '../internal.ts'
import { worthTelling } from '../messages/fallbacks.ts'
import { denialLines } from '../messages/result.ts'
import { parseAll } from './arguments.ts'
import { checkSandboxed, sayIgnored, shellOptions, unbounded } from './configuration.ts'
import { grammar } from './grammar.ts'
import { isTerminal, tell } from './output.ts'
import { OutputRelay } from './run/relay.ts'
import { afterLines } from './run/result.ts'
import { runStreaming } from './run/run.ts'

const from = 'vitrine shell'

/** `vitrine shell`: the user's own shell in a terminal of the mode; with another standard input it reads that as a script. */
export async function main(args: readonly string[]): Promise<number> {
  const options = parseAll('shell', args, grammar.shell)
  // Imported late: a script needs none of it.
  const pty = isTerminal(0) ? await import('./run/pty.ts') : undefined
  pty?.checkTerminal(from)
  const relay = new OutputRelay()
  const shell = await openShell({
    ...(await shellOptions(options, unbounded(from))),
    approver: options.flags.has('ask')
      ? (await import('./run/ask.ts')).askingApprover(pty ? undefined : relay)
      : undefined,
  })
  checkSandboxed([shell.mode], options, shell.config.shell.backend)
  await sayIgnored(shell)
  const request = { argv: [programFor(shell)] }
  if (!pty) return runScript(shell, request, relay)
  await tell(`${greetings[shell.mode]} "exit" leaves it.`)
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

const greetings: Readonly<Record<Mode, string>> = {
  read: 'read mode: the operating system refuses every change.',
  workspace: 'workspace mode: the operating system refuses changes outside the workspace.',
  write: 'write mode: commands run unsandboxed, with your rights.',
}

/** The lines about a shell that has ended: the refusals of all its commands. A hint would be about one command. */
function linesAfterShell({ hint: _, denials, ...result }: Result): readonly string[] {
  const told = worthTelling(denials, { errors: '', single: true })
  return [...afterLines({ ...result, denials: [] } as Result), ...denialLines(told)]
}
