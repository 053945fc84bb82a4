import { constants } from 'node:os'
import type { Result } from '../../internal.ts'
import { exitCode } from '../command.ts'
import { lostCode, standardError, standardOutput } from './sink.ts'

export function exitCodeOf({ outcome, exitCode: own, signal }: Result): number {
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

/** When our output could not be written; `isOfCommand`: which was ended for it. */
export async function brokenPipeCode(isOfCommand = true): Promise<number | undefined> {
  const errno = standardOutput.broken ?? standardError.broken
  return errno === undefined ? undefined : lostCode(errno, isOfCommand)
}

// Node has no names for real-time signals; they are named by number.
function signalCode(name: NodeJS.Signals): number {
  return 128 + (constants.signals[name] ?? Number(name.replace('SIG', '')))
}
