import { systemDirectories } from '../base/paths.ts'
import { words } from '../base/text.ts'
import { knownValue, type SimpleCommand, type Word } from './line.ts'

/** The program a simple command starts, without the options before its subcommand. */
export interface NamedProgram {
  /** Name and arguments; a system directory is removed from the name. */
  readonly words: readonly Word[]
  /** True if the name is looked up in PATH or lies in a system directory. */
  readonly trusted: boolean
  readonly written: string
  /** An option before the subcommand with which no rule simply allows it. */
  readonly objection?: string
}

/** The program of a simple command; `undefined` if it has only assignments or redirects. */
export function programOf({ words }: SimpleCommand): NamedProgram | undefined {
  const [head, ...rest] = words
  if (!head) return undefined
  const slash = head.value.lastIndexOf('/')
  const inSystem = slash > 0 && systemDirectories.has(head.value.slice(0, slash))
  const trusted = head.kind === 'literal' && (slash === -1 || inSystem)
  const name = inSystem
    ? { ...head, value: head.value.slice(slash + 1), fixed: head.value.slice(slash + 1) }
    : head
  if (nameOf(head.value) !== 'git') return { words: [name, ...rest], trusted, written: head.value }
  return { ...gitProgram(name, rest), trusted, written: head.value }
}

/** The name without directory or `.exe`, in lower case because macOS also finds `GIT`. */
export function nameOf(written: string): string {
  const base = written.slice(written.lastIndexOf('/') + 1)
  return base.toLowerCase().replace(/\.exe$/, '')
}

// git(1), OPTIONS
const gitHarmless = new Set(
  words(`
  --no-pager -P --no-optional-locks --no-replace-objects --no-lazy-fetch --no-advice --literal-pathspecs
  --glob-pathspecs --noglob-pathspecs --icase-pathspecs`),
)
const gitValued = new Set(
  words('-c --git-dir --work-tree --namespace --config-env --attr-source --super-prefix'),
)

function gitProgram(name: Word, words: readonly Word[]): Omit<NamedProgram, 'trusted' | 'written'> {
  let objection: string | undefined
  let at = 0
  for (; at < words.length; at++) {
    const word = words[at]
    const option = knownValue(word)
    if (!word?.fixed.startsWith('-') || option === '--version') break
    if (option === '-C' && words[at + 1]) at += 1
    else if (option === undefined || !gitHarmless.has(option)) {
      objection ??= word.text
      if (option !== undefined && gitValued.has(option)) at += 1
    }
  }
  return { words: [name, ...words.slice(at)], ...(objection !== undefined && { objection }) }
}
