import { constants } from 'node:os'
import type { Result } from '../../internal.ts'
import { outputLost, prefixed } from '../../messages/cli/run.ts'
import { exitCode } from '../command.ts'
import { standardError, standardOutput } from './sink.ts'

/** The exit code that a result becomes. */
export function codeOf({ outcome, exitCode: own, signal }: Result): number {
  switch (outcome.kind) {
    case 'exited':
      return outcome.code
    case 'signalled':
      return signalCode(outcome.signal)
    case 'timed-out':
      return exitCode.timedOut
    case 'limited':
      return signalCode('SIGKILL')
    case 'output-limit':
      return exitCode.refused
    case 'cancelled':
      return own ?? (signal === null ? exitCode.refused : signalCode(signal))
  }
}

/**
 * The exit code when our output could not be written: that of SIGPIPE, and not a word, when its reader has gone, as for
 * any command before `| head`; else the reason is said.
 */
export async function brokenCode(): Promise<number | undefined> {
  const code = standardOutput.broken ?? standardError.broken
  if (code === undefined) return undefined
  if (code === 'EPIPE') return signalCode('SIGPIPE')
  await standardError.write(prefixed(outputLost(code)))
  return exitCode.refused
}

// A signal without a name in Node (real-time signals) is called by its number.
function signalCode(name: NodeJS.Signals): number {
  return 128 + (constants.signals[name] ?? Number(name.replace('SIG', '')))
}
