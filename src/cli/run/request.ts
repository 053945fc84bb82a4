import { isUtf8 } from 'node:buffer'
import { fstatSync, readFileSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { tried } from '../../base/errno.ts'
import { isNull } from '../../base/files.ts'
import { quoted, visible } from '../../base/text.ts'
import { type ExecuteRequest, isHarmlessInput, type Mode, VitrineError } from '../../internal.ts'
import { misuse, type Options, parseOptions } from '../arguments.ts'
import { grammar } from '../grammar.ts'
import { isTerminal } from '../output.ts'

export interface RunArguments {
  readonly options: Options
  /** `full`: with every field of the library's result. */
  readonly json: 'short' | 'full' | undefined
  readonly pty: boolean
  readonly ask: boolean
  readonly background: boolean
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
  if (flags.has('keep-going') && !each)
    throw misuse('--keep-going needs --each: it continues after a line of the list that fails.')
  if (values.has('owner') && !flags.has('background'))
    throw misuse('--owner needs --background: it names the process with which the command ends.')
  const command = wordsAfterDashes('run', args, words)
  const how = {
    merged: flags.has('merged'),
    scratchpad: values.get('scratchpad'),
    env: variablesOf(lists.get('env') ?? []),
    timeoutMs: timeout === undefined ? undefined : milliseconds(timeout),
  }
  const works = each ? command.map((line) => ({ command: line })) : [workOf(command)]
  return {
    options,
    json: flags.has('json=full') ? 'full' : flags.has('json') ? 'short' : undefined,
    pty: flags.has('pty'),
    ask: flags.has('ask'),
    background: flags.has('background'),
    each,
    keepGoing: flags.has('keep-going'),
    requests: works.map((work) => ({ ...work, ...how })),
  }
}

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }

/** The milliseconds of `500`, `500ms`, `30s`, `2m` or `1h`. Throws INVALID_REQUEST otherwise, and for 0. */
function milliseconds(text: string): number {
  const [, number, unit = 'ms'] = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text) ?? []
  const value = Number(number) * (unitMs[unit] ?? 1)
  if (value > 0) return value
  const wanted = 'a time above 0, such as 30s, 500ms, 2m or a number of milliseconds'
  const problem = { kind: 'out-of-range', field: '--timeout', wanted, got: JSON.stringify(text) } as const
  throw new VitrineError({ code: 'INVALID_REQUEST', problem })
}

/** `NAME=VALUE`, or `NAME` for its value in our environment; an unset variable stays unset. */
function variablesOf(given: readonly string[]): Record<string, string> {
  const variables: Record<string, string> = {}
  for (const text of given) {
    const [name = '', ...rest] = text.split('=')
    const value = text.includes('=') ? rest.join('=') : process.env[name]
    if (name === '') throw misuse(`--env takes NAME or NAME=VALUE, not "${visible(text)}".`)
    if (!areUnchanged([text]))
      throw misuse(`The value of ${name} (--env) is not UTF-8, so it would reach the command changed.`)
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
  if (dashes === undefined || (dashes === '--' && command.length === 0))
    throw misuse(`The command is missing. Put it after "--": \`vitrine ${name} -- ls -la\`.`)
  if (dashes === '--' && !areUnchanged(command))
    throw misuse(
      'A word of the command is not UTF-8, so it would reach the command changed. Name such a file by a pattern in a shell line (caf*).',
    )
  if (dashes === '--') return command
  const first = args.length - command.length - 1
  const corrected = ['vitrine', ...name.split(' '), ...args.slice(0, first), '--', ...args.slice(first)]
  throw misuse(`Put the command after "--": \`${visible(corrected.map(quoted).join(' '))}\`.`)
}

/** Node decodes arguments as UTF-8 and replaces what is none: the command would get another name than the one given. */
function areUnchanged(words: readonly string[]): boolean {
  if (!words.some((word) => word.includes('\uFFFD'))) return true
  const given = tried(() => readFileSync('/proc/self/cmdline'))
  return given === undefined || isUtf8(given)
}

/**
 * What a command may read of our stdin; undefined: nothing. A confined command gets the descriptor itself only if
 * nothing can be changed through it; vitrine reads anything else itself and passes the bytes on. Throws INVALID_REQUEST
 * for a directory, which has no bytes.
 */
export function standardInput(mode: Mode): number | Readable | undefined {
  const stat = fstatSync(0)
  if (isNull(stat) || isTerminal(0)) return undefined
  if (mode === 'write' || isHarmlessInput(0)) return 0
  if (stat.isDirectory())
    throw misuse(
      'Standard input is a directory, which has no bytes to read. Redirect a file, a pipe or /dev/null.',
    )
  return process.stdin
}
