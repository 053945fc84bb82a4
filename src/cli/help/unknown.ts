import { nearestKey } from '../../base/did-you-mean.ts'
import { noSuchHelp, notAlone, prefixed, unknownCommand, unknownOption } from '../../messages/cli/run.ts'
import { exitCode } from '../command.ts'
import { standardError } from '../run/sink.ts'

const options = ['--help', '--version']

export function sayUnknown(
  name: string,
  args: readonly string[],
  commands: readonly string[],
): Promise<number> {
  return refused(
    name.startsWith('-')
      ? unknownOption(name, nearestKey(name, options))
      : unknownCommand(name, args, nearestKey(name, [...commands, 'help'])),
  )
}

export function sayNoSuchHelp(name: string, commands: readonly string[]): Promise<number> {
  return refused(noSuchHelp(name, nearestKey(name, commands)))
}

export function sayNotAlone(option: string, word: string): Promise<number> {
  return refused(notAlone(option, word))
}

async function refused(said: string): Promise<number> {
  await standardError.write(prefixed(said))
  return exitCode.refused
}
