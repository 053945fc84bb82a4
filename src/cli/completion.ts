import { readFileSync } from 'node:fs'
import { packageFile } from '../base/package-file.ts'
import { listSessions, scratchpadRoots } from '../internal.ts'
import { runSubcommand } from './arguments.ts'
import { allJobs } from './background/job.ts'
import { type Grammar, grammar, type OptionKind } from './grammar.ts'
import { describedIn } from './help.ts'
import { print } from './output.ts'

/** `vitrine completion SHELL`: the script for a shell; `candidates -- WORD...`: what that script calls. */
export function main(args: readonly string[]): Promise<number> {
  const [name, ...words] = args
  if (name === 'candidates') return print(candidates(words[0] === '--' ? words.slice(1) : words))
  // Each calls `vitrine completion candidates` at every key press, so it matches the installed version.
  const script = (shell: string) => () =>
    print(readFileSync(packageFile(`completions/vitrine.${shell}`), 'utf8'))
  const shells = { bash: script('bash'), zsh: script('zsh'), fish: script('fish') }
  return runSubcommand('completion', shells, args)
}

/** One line per candidate: word, tab, description; or a line `:...` for what the shell completes itself. */
function candidates(words: readonly string[]): string {
  const typed = words.at(-1) ?? ''
  const before = words.slice(0, -1)
  const { node, command } = placeOf(before)
  const from = before.indexOf('--') + 1
  if (from > 0 && node.words === 'command') return `:command ${from}\n`
  const { kind, behind, value } = valueAt(node, before, typed)
  if (kind === 'file' || kind === 'directory') return `:${kind} ${behind}\n`
  if (kind !== 'none') return lines(value, typeof kind === 'string' ? [] : kind, () => '', behind)
  const described = (word: string) => describedIn(command, word)
  if (typed.startsWith('-')) return lines(typed, optionsOf(node), described)
  if (node.commands) return lines(typed, Object.keys(node.commands), described)
  if (node.words === 'file') return ':file \n'
  if (node.words === 'output') return lines(typed, outputs())
  if (node.words === 'job')
    return lines(
      typed,
      allJobs().map(({ id }) => id),
    )
  if (node.words === undefined || node.words === 'command') return lines(typed, optionsOf(node), described)
  return lines(typed, node.words)
}

/** The command that the first words name. */
function placeOf(words: readonly string[]): { node: Grammar; command: readonly string[] } {
  let node: Grammar = { options: { version: 'flag' }, commands: grammar }
  let depth = 0
  for (const word of words) {
    const below: Grammar | undefined = Object.hasOwn(node.commands ?? {}, word)
      ? node.commands?.[word]
      : undefined
    if (!below) break
    node = below
    depth += 1
  }
  return { node, command: words.slice(0, depth) }
}

interface Value {
  readonly kind: Exclude<OptionKind, 'flag' | 'flag or full'> | 'none'
  /** What precedes the value in the same word: `--cwd=`. */
  readonly behind: string
  readonly value: string
}

/** The value of an option that is being typed. bash splits `--cwd=src` into three words. */
function valueAt(node: Grammar, before: readonly string[], typed: string): Value {
  const [, behind = '', joined] = /^(--[^=]+=)(.*)$/s.exec(typed) ?? []
  const option = behind || (before.at(-1) === '=' ? before.at(-2) : before.at(-1)) || ''
  const name = option.replace(/^--|=$/g, '')
  const kind = option.startsWith('--') && Object.hasOwn(node.options, name) ? node.options[name] : undefined
  const isFlag = kind === undefined || kind === 'flag' || kind === 'flag or full'
  return { kind: isFlag ? 'none' : kind, behind, value: joined ?? (typed === '=' ? '' : typed) }
}

function optionsOf({ options, words }: Grammar): readonly string[] {
  const names = [...Object.keys(options), 'help'].map((name) => `--${name}`)
  return words === 'command' ? [...names, '--'] : names
}

function lines(
  typed: string,
  words: readonly string[],
  described: (word: string) => string = () => '',
  behind = '',
): string {
  const offered = words.filter((word) => word.startsWith(typed))
  return offered.map((word) => `${behind}${word}\t${described(word)}\n`).join('')
}

/** The names of saved outputs, without duplicates. */
function outputs(): readonly string[] {
  const sessions = listSessions(scratchpadRoots(process.env))
  return [...new Set(sessions.flatMap(({ entries }) => entries.map(({ name }) => name)))].sort()
}
