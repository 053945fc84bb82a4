import type { ExecuteRequest } from '../../internal.ts'
import {
  commandMissing,
  dashesMissing,
  keepGoingAlone,
  variableNotUtf8,
  variableUnnamed,
  wordNotUtf8,
} from '../../messages/cli/run.ts'
import { milliseconds } from '../duration.ts'
import { grammar } from '../grammar.ts'
import { misuse, type Options, parseOptions } from '../options.ts'
import { areUnchanged } from './given-words.ts'

export interface RunArguments {
  readonly options: Options
  /** `full`: with every field of the library's result. */
  readonly json: 'short' | 'full' | undefined
  readonly pty: boolean
  readonly ask: boolean
  /** The requests form a list, even if there is only one. */
  readonly each: boolean
  /** The list continues after a line that fails. */
  readonly keepGoing: boolean
  readonly requests: readonly ExecuteRequest[]
}

export function readRunArguments(args: readonly string[]): RunArguments {
  const options = parseOptions(args, grammar.run.options)
  const { flags, values, lists, words } = options
  const timeout = values.get('timeout')
  const each = flags.has('each')
  if (flags.has('keep-going') && !each) throw misuse(keepGoingAlone)
  const command = wordsAfterDashes('run', args, words)
  const how = {
    merged: flags.has('merged'),
    scratchpad: values.get('scratchpad'),
    env: variablesOf(lists.get('env') ?? []),
    timeoutMs: timeout === undefined ? undefined : milliseconds('--timeout', timeout),
  }
  return {
    options,
    json: flags.has('json=full') ? 'full' : flags.has('json') ? 'short' : undefined,
    pty: flags.has('pty'),
    ask: flags.has('ask'),
    each,
    keepGoing: flags.has('keep-going'),
    requests: (each ? command.map((line) => ({ command: line })) : [workOf(command)]).map((work) => ({
      ...work,
      ...how,
    })),
  }
}

/** `NAME=VALUE`, or `NAME` for its value in our environment; an unset variable stays unset. */
function variablesOf(given: readonly string[]): Record<string, string> {
  const variables: Record<string, string> = {}
  for (const text of given) {
    const [name = '', ...rest] = text.split('=')
    const value = text.includes('=') ? rest.join('=') : process.env[name]
    if (name === '') throw misuse(variableUnnamed(text))
    if (!areUnchanged([text])) throw misuse(variableNotUtf8(name))
    if (value !== undefined) variables[name] = value
  }
  return variables
}

/** One word is a shell line, several words are an argv. */
export function workOf(command: readonly string[]): Pick<ExecuteRequest, 'command' | 'argv'> {
  const [line, ...more] = command
  return more.length === 0 ? { command: line } : { argv: command }
}

/** Those after `--`, at least one. `name`: for example `policy check`. Throws INVALID_REQUEST. */
export function wordsAfterDashes(
  name: string,
  args: readonly string[],
  [dashes, ...command]: readonly string[],
): readonly string[] {
  if (dashes === undefined || (dashes === '--' && command.length === 0)) throw misuse(commandMissing(name))
  if (dashes === '--' && !areUnchanged(command)) throw misuse(wordNotUtf8)
  if (dashes === '--') return command
  const first = args.length - command.length - 1
  const corrected = ['vitrine', ...name.split(' '), ...args.slice(0, first), '--', ...args.slice(first)]
  throw misuse(dashesMissing(corrected))
}
