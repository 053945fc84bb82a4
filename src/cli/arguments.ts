import { didYouMean, nearestKey } from '../base/did-you-mean.ts'
import { visible } from '../base/text.ts'
import { VitrineError } from '../internal.ts'
import { type Grammar, grammar, type OptionKind, type OptionKinds } from './grammar.ts'

export interface Options {
  readonly flags: ReadonlySet<string>
  /** The last value of an option given several times. */
  readonly values: ReadonlyMap<string, string>
  readonly lists: ReadonlyMap<string, readonly string[]>
  /** Everything from the first word that is not an option. */
  readonly words: readonly string[]
}

export function misuse(detail: string): VitrineError {
  return new VitrineError({ code: 'INVALID_REQUEST', problem: { kind: 'usage', detail } })
}

export type Subcommand = (options: Options, args: readonly string[]) => Promise<number>

/** Runs the subcommand that the first word names. Throws INVALID_REQUEST. */
export function runSubcommand(
  command: keyof typeof grammar,
  subcommands: Readonly<Record<string, Subcommand>>,
  [name, ...args]: readonly string[],
): Promise<number> {
  const names = Object.keys(subcommands)
  if (name === undefined) throw misuse(`"vitrine ${command}" needs one of: ${names.join(', ')}.`)
  const run = Object.hasOwn(subcommands, name) ? subcommands[name] : undefined
  if (!run) {
    const meant = didYouMean(name, names)
    throw misuse(`"vitrine ${command}" has no "${visible(name)}"${meant} Choose one of: ${names.join(', ')}.`)
  }
  const { commands = {} }: Grammar = grammar[command]
  return run(parseAll(command, args, commands[name] ?? { options: {} }), args)
}

/** Parses the options of a command that is given no more words than it takes. Throws INVALID_REQUEST. */
export function parseAll(command: string, args: readonly string[], { options, words }: Grammar): Options {
  const parsed = parseOptions(args, options)
  const most = words === undefined ? 0 : words === 'command' ? Number.POSITIVE_INFINITY : 1
  const tooMany = parsed.words[most]
  if (tooMany !== undefined)
    throw misuse(`"${visible(tooMany)}" is unexpected; see "vitrine ${command} --help".`)
  return parsed
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
    if (kind === 'flag' || kind === 'flag or full') flags.add(name + (value ? `=${value}` : ''))
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

function kindOf({ name, rawName, value }: Option, kinds: OptionKinds): OptionKind {
  const kind = rawName.startsWith('--') && Object.hasOwn(kinds, name) ? kinds[name] : undefined
  if (kind === undefined) throw unknown(rawName, kinds)
  if (kind === 'flag' && value !== undefined) throw misuse(`${rawName} takes no value.`)
  if (kind === 'flag or full' && value !== undefined && value !== 'full')
    throw misuse(`${rawName} accepts only the value "full": ${rawName}=full.`)
  return kind
}

function unknown(rawName: string, kinds: OptionKinds): VitrineError {
  const known = [...Object.keys(kinds), 'help'].map((name) => `--${name}`)
  const nearest = nearestKey(rawName, known)
  const problem = { kind: 'unknown-option', field: rawName, ...(nearest && { nearest }) } as const
  return new VitrineError({ code: 'INVALID_REQUEST', problem })
}

// A value that looks like a long option is the next option: `--cwd --json`. `--cwd=--json` is unambiguous.
function following(arg: string | undefined, { rawName }: Option): string {
  if (arg === undefined || arg.startsWith('--')) throw misuse(`${rawName} needs a value.`)
  return arg
}

/** `--cwd "$UNSET"` must not mean the current directory. */
function checked(text: string, { rawName }: Option, kind: OptionKind): string {
  if (text === '' && (kind === 'directory' || kind === 'file')) throw misuse(`${rawName} needs a value.`)
  return text
}
