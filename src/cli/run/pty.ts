import type { Shell } from '../../internal.ts'
import { ptyAlone, ptyWithoutTerminal } from '../../messages/cli/run.ts'
import { exitCode } from '../command.ts'
import { misuse } from '../options.ts'
import { isTerminal } from '../terminal.ts'
import type { RunArguments } from './options.ts'
import { TerminalCommand } from './terminal-command.ts'

/** `vitrine run --pty`: runs one command in a terminal of its own, shown in ours. Call `checkPty` first. */
export async function runInTerminal(
  shell: Shell,
  { requests }: Pick<RunArguments, 'requests'>,
): Promise<number> {
  const command = await TerminalCommand.start(shell, requests[0] ?? {})
  if (typeof command === 'number') return command
  const code = await command.foreground()
  return code === 'stopped' ? exitCode.refused : code
}

/** Throws INVALID_REQUEST for options that conflict, or without a terminal to show it in. */
export function checkPty({ json, each }: RunArguments): void {
  if (json || each) throw misuse(ptyAlone(json ? '--json' : '--each'))
  if (!isTerminal(0) || !isTerminal(1)) throw misuse(ptyWithoutTerminal)
}
