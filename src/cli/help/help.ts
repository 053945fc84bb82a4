import { helpFor, type Topic, topics } from '../../messages/cli/help.ts'
import { print } from '../run/sink.ts'

/** Imports late what only an error needs: it comes with all that `run` loads. */
export async function help(
  name: string | undefined,
  args: readonly string[],
  commands: readonly string[],
): Promise<number> {
  if (name === undefined) return print(helpFor('vitrine'))
  if (name === 'help' || name === '--help' || name === '-h') return helpOn(args[0], commands)
  if (isTopic(name) || commands.includes(name)) return print(helpFor(isTopic(name) ? name : 'vitrine'))
  return (await import('./unknown.ts')).sayUnknown(name, args, commands)
}

async function helpOn(name: string | undefined, commands: readonly string[]): Promise<number> {
  if (name === undefined) return print(helpFor('vitrine'))
  if (isTopic(name)) return print(helpFor(name))
  return (await import('./unknown.ts')).sayNoSuchHelp(name, commands)
}

function isTopic(name: string): name is Topic {
  return (topics as readonly string[]).includes(name)
}
