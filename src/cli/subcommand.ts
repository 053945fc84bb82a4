import { nearestKey } from '../internal.ts'
import { subcommandMissing, tooManyWords, unknownSubcommand } from '../messages/cli/run.ts'
import { type Grammar, grammar } from './grammar.ts'
import { misuse, type Options, parseOptions } from './options.ts'

export type Subcommand = (options: Options, args: readonly string[]) => Promise<number>

/** Runs the subcommand that the first word names. Throws INVALID_REQUEST. */
export function runSubcommand(
  command: keyof typeof grammar,
  subcommands: Readonly<Record<string, Subcommand>>,
  [name, ...args]: readonly string[],
): Promise<number> {
  const names = Object.keys(subcommands)
  if (name === undefined) throw misuse(subcommandMissing(command, names))
  const run = Object.hasOwn(subcommands, name) ? subcommands[name] : undefined
  if (!run) throw misuse(unknownSubcommand(command, name, names, nearestKey(name, names)))
  const { commands = {} }: Grammar = grammar[command]
  return run(parseAll(command, args, commands[name] ?? { options: {} }), args)
}

/** Parses the options of a command that is given no more words than it takes. Throws INVALID_REQUEST. */
export function parseAll(command: string, args: readonly string[], { options, words }: Grammar): Options {
  const parsed = parseOptions(args, options)
  const most = words === undefined ? 0 : words === 'command' ? Number.POSITIVE_INFINITY : 1
  const tooMany = parsed.words[most]
  if (tooMany !== undefined) throw misuse(tooManyWords(tooMany, command))
  return parsed
}
