import { openShell, type Shell } from '../../internal.ts'
import { loadConfigFor, sayIgnored } from '../configuration.ts'
import { milliseconds } from '../duration.ts'
import { grammar } from '../grammar.ts'
import type { Options } from '../options.ts'
import { backendOf } from '../run/options.ts'
import { sayLowered } from '../run/run.ts'
import { parseAll } from '../subcommand.ts'
import { InteractiveSession } from './session.ts'

/** `vitrine shell`: runs lines one after the other, as they are typed or read. */
export async function main(args: readonly string[]): Promise<number> {
  const options = parseAll('shell', args, grammar.shell)
  const shell = await open(options)
  await sayIgnored(shell)
  const given = options.values.get('timeout')
  const timeoutMs = given === undefined ? shell.config.shell.max_timeout_ms : milliseconds('--timeout', given)
  await sayLowered(timeoutMs, shell)
  const session = new InteractiveSession(shell, timeoutMs)
  const code = await session.run()
  await shell.close()
  return code
}

async function open({ flags, values }: Options): Promise<Shell> {
  const cwd = values.get('cwd')
  return openShell({
    cwd,
    config: await loadConfigFor({ cwd, config: values.get('config'), workspace: values.get('workspace') }),
    backend: backendOf(values.get('backend')),
    mode: flags.has('write') ? 'write' : undefined,
    network: flags.has('network') ? true : undefined,
    privateTmp: flags.has('private-tmp') ? true : undefined,
    approver: flags.has('ask') ? (await import('../run/ask.ts')).askingApprover(undefined) : undefined,
  })
}
