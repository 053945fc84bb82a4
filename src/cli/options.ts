import { nearestKey, VitrineError } from '../internal.ts'
import { flagWithValue, onlyFull, optionElsewhere, valueMissing } from '../messages/cli/run.ts'
import { type OptionKind, type OptionKinds, takersOf } from './grammar.ts'

export interface Options {
  readonly flags: ReadonlySet<string>
  /** The last value of an option given several times. */
  readonly values: ReadonlyMap<string, string>
  readonly lists: ReadonlyMap<string, readonly string[]>
  /** Everything from the first word that is not an option. */
  readonly words: readonly string[]
}

/** Reads options up to the first word, as util.parseArgs does, which takes longer to load. Throws INVALID_REQUEST. */
export function parseOptions(args: readonly string[], kinds: OptionKinds): Options {
  const flags = new Set<string>()
  const values = new Map<string, string>()
  const lists = new Map<string, string[]>()
  let at = 0
  for (; isOption(args[at]); at++) {
    const option = optionOf(args[at] ?? '')
    const { name, value } = option
    const kind = kindOf(option, kinds)
    const text = () => checked(value ?? following(args[++at], option), option, kind)
    if (takesNoValue(kind)) flags.add(name + (value ? `=${value}` : ''))
    else if (kind === 'variables' || kind === 'values') lists.set(name, [...(lists.get(name) ?? []), text()])
    else values.set(name, text())
  }
  return { flags, values, lists, words: args.slice(at) }
}

function isOption(arg: string | undefined): boolean {
  return arg !== undefined && arg.length > 1 && arg.startsWith('-') && arg !== '--'
}

interface Option {
  readonly name: string
  readonly rawName: string
  /** After its `=`. */
  readonly value: string | undefined
}

function optionOf(arg: string): Option {
  const end = arg.indexOf('=', 3)
  const [rawName, value] = end < 0 ? [arg, undefined] : [arg.slice(0, end), arg.slice(end + 1)]
  return { name: rawName.slice(2), rawName, value }
}

function takesNoValue(kind: OptionKind): boolean {
  return kind === 'flag' || kind === 'flag or full'
}

function kindOf({ name, rawName, value }: Option, kinds: OptionKinds): OptionKind {
  const kind = rawName.startsWith('--') && Object.hasOwn(kinds, name) ? kinds[name] : undefined
  if (kind === undefined) throw unknown(rawName, kinds)
  if (kind === 'flag' && value !== undefined) throw misuse(flagWithValue(rawName))
  if (kind === 'flag or full' && value !== undefined && value !== 'full') throw misuse(onlyFull(rawName))
  return kind
}

/** The error for an option of another command, a misspelt one or an unknown one. */
function unknown(rawName: string, kinds: OptionKinds): VitrineError {
  const takers = rawName.startsWith('--') ? takersOf(rawName.slice(2)) : []
  if (takers.length > 0) return misuse(optionElsewhere(rawName, takers))
  const nearest = nearestKey(
    rawName,
    [...Object.keys(kinds), 'help'].map((known) => `--${known}`),
  )
  const problem = { kind: 'unknown-option', field: rawName } as const
  return new VitrineError({
    code: 'INVALID_REQUEST',
    problem: nearest === undefined ? problem : { ...problem, nearest },
  })
}

// A value that looks like a long option is the next option: `--cwd --json`. `--cwd=--json` is unambiguous.
function following(arg: string | undefined, { rawName }: Option): string {
  if (arg === undefined || arg.startsWith('--')) throw misuse(valueMissing(rawName))
  return arg
}

/** `--cwd "$UNSET"` must not mean the current directory. */
function checked(text: string, { rawName }: Option, kind: OptionKind): string {
  if (text === '' && (kind === 'directory' || kind === 'file')) throw misuse(valueMissing(rawName))
  return text
}

export function misuse(detail: string): VitrineError {
  return new VitrineError({ code: 'INVALID_REQUEST', problem: { kind: 'usage', detail } })
}
