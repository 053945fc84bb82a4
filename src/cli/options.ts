import { parseArgs } from 'node:util'
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

/** Reads options up to the first word. Throws INVALID_REQUEST. */
export function parseOptions(args: readonly string[], kinds: OptionKinds): Options {
  const { tokens } = parseArgs({
    args: [...args],
    options: Object.fromEntries(Object.entries(kinds).map(([name, kind]) => [name, nodeType(kind)])),
    strict: false,
    allowPositionals: true,
    tokens: true,
  })
  const firstWord = tokens.find((token) => token.kind !== 'option')
  const flags = new Set<string>()
  const values = new Map<string, string>()
  const lists = new Map<string, string[]>()
  for (const token of tokens) {
    if (token.kind !== 'option' || token.index >= (firstWord?.index ?? args.length)) break
    const kind = kindOf(token, kinds)
    if (takesNoValue(kind)) flags.add(token.name + (token.value ? `=${token.value}` : ''))
    else if (kind === 'variables' || kind === 'values')
      lists.set(token.name, [...(lists.get(token.name) ?? []), textOf(token)])
    else values.set(token.name, textOf(token))
  }
  return { flags, values, lists, words: firstWord ? args.slice(firstWord.index) : [] }
}

interface OptionToken {
  readonly name: string
  readonly rawName: string
  readonly value: string | undefined
  readonly inlineValue: boolean | undefined
}

function takesNoValue(kind: OptionKind): boolean {
  return kind === 'flag' || kind === 'flag or full'
}

function nodeType(kind: OptionKind) {
  return { type: takesNoValue(kind) ? ('boolean' as const) : ('string' as const) }
}

function kindOf({ name, rawName, value }: OptionToken, kinds: OptionKinds): OptionKind {
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
function textOf({ rawName, value, inlineValue }: OptionToken): string {
  if (value === undefined || (!inlineValue && value.startsWith('--'))) throw misuse(valueMissing(rawName))
  return value
}

export function misuse(detail: string): VitrineError {
  return new VitrineError({ code: 'INVALID_REQUEST', problem: { kind: 'usage', detail } })
}
