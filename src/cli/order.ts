import type { ExecuteRequest } from '../index.ts'
import { commandMissing, dashesMissing } from '../result/explain-cli.ts'
import { milliseconds } from './duration.ts'
import { misuse, type OptionKinds, parseOptions } from './options.ts'

/** What a `vitrine run` line asks for. */
export interface Order {
  readonly write: boolean
  readonly network: boolean
  readonly json: boolean
  readonly cwd: string | undefined
  readonly config: string | undefined
  readonly request: ExecuteRequest
}

const kinds: OptionKinds = {
  write: 'flag',
  timeout: 'value',
  cwd: 'value',
  network: 'flag',
  merged: 'flag',
  scratchpad: 'value',
  json: 'flag',
  config: 'value',
}

/** Reads what stands behind `vitrine run`. Throws INVALID_REQUEST. */
export function readOrder(args: readonly string[]): Order {
  const { flags, values, words } = parseOptions(args, kinds)
  const timeout = values.get('timeout')
  return {
    write: flags.has('write'),
    network: flags.has('network'),
    json: flags.has('json'),
    cwd: values.get('cwd'),
    config: values.get('config'),
    request: {
      ...commandOf(args, words),
      merged: flags.has('merged'),
      scratchpad: values.get('scratchpad'),
      timeoutMs: timeout === undefined ? undefined : milliseconds('--timeout', timeout),
    },
  }
}

/** One word is a shell line, several are an argument vector. */
function commandOf(
  args: readonly string[],
  [dashes, ...command]: readonly string[],
): Pick<ExecuteRequest, 'command' | 'argv'> {
  if (dashes === undefined) throw misuse(commandMissing())
  if (dashes !== '--') throw misuse(dashesMissing(corrected(args, command.length + 1)))
  const [line, ...more] = command
  if (line === undefined) throw misuse(commandMissing())
  return more.length === 0 ? { command: line } : { argv: command }
}

/** The line with `--` before its last `count` words. */
function corrected(args: readonly string[], count: number): string {
  const first = args.length - count
  return ['vitrine', 'run', ...args.slice(0, first), '--', ...args.slice(first)].map(quoted).join(' ')
}

/** A word as a shell reads it back. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}
