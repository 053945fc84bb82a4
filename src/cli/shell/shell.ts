import { openShell } from '../../internal.ts'
import { sayIgnored, shellOptions } from '../configuration.ts'
import { milliseconds } from '../duration.ts'
import { grammar } from '../grammar.ts'
import { sayLowered } from '../run/run.ts'
import { parseAll } from '../subcommand.ts'
import { InteractiveSession } from './session.ts'

export async function main(args: readonly string[]): Promise<number> {
  const options = parseAll('shell', args, grammar.shell)
  const shell = await openShell({
    ...(await shellOptions(options)),
    approver: options.flags.has('ask')
      ? (await import('../run/ask.ts')).askingApprover(undefined)
      : undefined,
  })
  await sayIgnored(shell)
  const given = options.values.get('timeout')
  const timeoutMs = given === undefined ? shell.config.shell.max_timeout_ms : milliseconds('--timeout', given)
  await sayLowered(timeoutMs, shell)
  const session = new InteractiveSession(shell, timeoutMs)
  return session.run().finally(() => shell.close())
}
