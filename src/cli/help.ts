import { helpFor, type Topic, topics } from '../messages/cli/help.ts'
import { exitCode } from './command.ts'
import { print, standardError } from './run/sink.ts'

const options = ['--help', '--version']

/** Imports late what only an error needs: it comes with all that `run` loads. */
export async function help(
  name: string | undefined,
  args: readonly string[],
  commands: readonly string[],
): Promise<number> {
  if (name === undefined || name === '--help' || name === '-h') return print(helpFor('vitrine'))
  if (name === 'help') return helpOn(args[0], commands)
  if (isTopic(name) || commands.includes(name)) return print(helpFor(isTopic(name) ? name : 'vitrine'))
  const { nearestKey } = await import('../base/did-you-mean.ts')
  const { prefixed, unknownCommand, unknownOption } = await import('../messages/cli/run.ts')
  const said = name.startsWith('-')
    ? unknownOption(name, nearestKey(name, options))
    : unknownCommand(name, args, nearestKey(name, [...commands, 'help']))
  await standardError.write(prefixed(said))
  return exitCode.refused
}

async function helpOn(name: string | undefined, commands: readonly string[]): Promise<number> {
  if (name === undefined) return print(helpFor('vitrine'))
  if (isTopic(name)) return print(helpFor(name))
  const { nearestKey } = await import('../base/did-you-mean.ts')
  const { noSuchHelp, prefixed } = await import('../messages/cli/run.ts')
  await standardError.write(prefixed(noSuchHelp(name, nearestKey(name, commands))))
  return exitCode.refused
}

function isTopic(name: string): name is Topic {
  return (topics as readonly string[]).includes(name)
}
