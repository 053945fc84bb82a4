import { type Grammar, grammar, type OptionKind, type Words } from '../grammar.ts'

export type Offer = OwnOffer | ShellOffer

export type OwnOffer =
  | { readonly kind: 'words'; readonly words: readonly string[] }
  /** The options or subcommands of a command, described in its help. */
  | {
      readonly kind: 'options' | 'commands'
      readonly command: readonly string[]
      readonly words: readonly string[]
    }
  | { readonly kind: 'output' }

/** Candidates that the shell completes itself. */
type ShellOffer =
  /** A path; `behind` is what precedes it in the same word: `--cwd=`. */
  | { readonly kind: 'file' | 'directory'; readonly behind: string }
  /** A command line of its own that begins at word `from`, counted from 0 after `vitrine`. */
  | { readonly kind: 'command'; readonly from: number }

interface CursorPosition {
  readonly node: Grammar
  readonly command: readonly string[]
  readonly pending?: OptionKind
  readonly commandFrom?: number
}

const root: CursorPosition = { node: { options: { version: 'flag' }, commands: grammar }, command: [] }

/** `words`: those after `vitrine`, the last one possibly incomplete. */
export function offerFor(words: readonly string[]): Offer {
  const typed = words.at(-1) ?? ''
  const place = words.slice(0, -1).reduce(stepped, root)
  if (place.commandFrom !== undefined) return { kind: 'command', from: place.commandFrom }
  if (place.pending !== undefined) return valueOffer(place.pending, typed, '')
  const [, option, value] = /^(--[^=]+=)(.*)$/.exec(typed) ?? []
  if (option !== undefined) return valueOffer(kindOf(place.node, option), value ?? '', option)
  return typed.startsWith('-') ? optionOffer(place, typed) : wordOffer(place, typed)
}

function stepped(place: CursorPosition, word: string, index: number): CursorPosition {
  const { node, command, pending } = place
  if (place.commandFrom !== undefined) return place
  // bash splits `--cwd=src` into three words.
  if (pending !== undefined) return word === '=' ? place : { node, command }
  if (word === '--') return node.words === 'command' ? { ...place, commandFrom: index + 1 } : place
  const kind = word.startsWith('--') ? kindOf(node, word) : 'flag'
  if (kind !== 'flag' && kind !== 'flag or full' && !word.includes('='))
    return { node, command, pending: kind }
  const below = Object.hasOwn(node.commands ?? {}, word) ? node.commands?.[word] : undefined
  return below ? { node: below, command: [...command, word] } : place
}

function kindOf({ options }: Grammar, word: string): OptionKind {
  const name = word.slice(2).replace(/=.*$/s, '')
  return (Object.hasOwn(options, name) ? options[name] : undefined) ?? 'flag'
}

function valueOffer(kind: OptionKind, typed: string, behind: string): Offer {
  if (kind === 'file' || kind === 'directory') return { kind, behind }
  const known = typeof kind === 'string' ? [] : kind
  // bash ends the word at `=` and passes `=` as the value while nothing follows it.
  const start = typed === '=' ? '' : typed
  return { kind: 'words', words: startingWith(start, known).map((word) => behind + word) }
}

function optionOffer({ node, command }: CursorPosition, typed: string): Offer {
  const options = [...Object.keys(node.options), 'help'].map((name) => `--${name}`)
  const all = node.words === 'command' ? [...options, '--'] : options
  return { kind: 'options', command, words: startingWith(typed, all) }
}

function wordOffer(place: CursorPosition, typed: string): Offer {
  const { node, command } = place
  if (node.commands)
    return { kind: 'commands', command, words: startingWith(typed, Object.keys(node.commands)) }
  return offerOf(node.words, typed) ?? optionOffer(place, typed)
}

function offerOf(words: Words | undefined, typed: string): Offer | undefined {
  if (words === 'file') return { kind: 'file', behind: '' }
  if (words === 'output') return { kind: 'output' }
  if (words === undefined || words === 'command') return undefined
  return { kind: 'words', words: startingWith(typed, words) }
}

function startingWith(typed: string, words: readonly string[]): readonly string[] {
  return words.filter((word) => word.startsWith(typed))
}
