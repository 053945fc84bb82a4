import { systemDirectories } from '../../base/program-path.ts'
import { known, type SimpleCommand, type Word } from '../syntax/line.ts'
import type { Objection } from './arguments.ts'

/** What a simple command starts, with the options before a subcommand put aside. */
export interface Program {
  /** The name and the arguments; the name without its directory where that is one of the system's. */
  readonly words: readonly Word[]
  /** The name is looked up in PATH, or stands in a directory of the system. */
  readonly trusted: boolean
  /** The name as written, dequoted. */
  readonly written: string
  /** Why the options before the subcommand are not known to be harmless. */
  readonly objection?: Objection
  /** `git -C`: directories the command changes to, one after the other. */
  readonly directories: readonly Word[]
}

const read = new WeakMap<SimpleCommand, Program>()

/** What a simple command starts; undefined when it is only assignments or redirects. */
export function programOf(command: SimpleCommand): Program | undefined {
  const before = read.get(command)
  if (before) return before
  const program = readProgram(command)
  if (program) read.set(command, program)
  return program
}

function readProgram({ words }: SimpleCommand): Program | undefined {
  const [head, ...rest] = words
  if (!head) return undefined
  const slash = head.value.lastIndexOf('/')
  const inSystem = slash > 0 && systemDirectories.has(head.value.slice(0, slash))
  const trusted = head.kind === 'literal' && (slash === -1 || inSystem)
  const name = inSystem
    ? { ...head, value: head.value.slice(slash + 1), fixed: head.value.slice(slash + 1) }
    : head
  if (nameOf(head.value) !== 'git')
    return { words: [name, ...rest], trusted, written: head.value, directories: [] }
  return { ...gitProgram(name, rest), trusted, written: head.value }
}

/** Programs that start others by their names alone, as scripts do. */
const helpers: Readonly<Record<string, readonly string[] | undefined>> = {
  egrep: ['grep'],
  fgrep: ['grep'],
  rgrep: ['grep'],
  npm: ['node'],
  npx: ['node'],
  tsc: ['node'],
  gh: ['git'],
  man: ['groff', 'nroff', 'troff', 'grotty', 'tbl', 'eqn', 'preconv', 'soelim', 'col', 'less'],
  tar: ['gzip', 'bzip2', 'xz', 'zstd', 'lzip', 'lzma', 'lzop', 'compress'],
}

/** The names that a command looks up in PATH; none when it names its program by a path, or it is not known. */
export function lookedUp(command: SimpleCommand): readonly string[] {
  const name = known(command.words[0]) ?? ''
  if (name === '' || name.includes('/')) return []
  return [name, ...((Object.hasOwn(helpers, name) && helpers[name]) || [])]
}

/** The name of a program, however it is written: without directory, in lower case (macOS finds `GIT`). */
export function nameOf(written: string): string {
  const base = written.slice(written.lastIndexOf('/') + 1)
  return base.toLowerCase().replace(/\.exe$/, '')
}

// git(1), OPTIONS
const gitHarmless = new Set([
  ...['--no-pager', '-P', '--no-optional-locks', '--no-replace-objects', '--no-lazy-fetch', '--no-advice'],
  ...['--literal-pathspecs', '--glob-pathspecs', '--noglob-pathspecs', '--icase-pathspecs'],
])
const gitValued = new Set([
  '-c',
  '--git-dir',
  '--work-tree',
  '--namespace',
  '--config-env',
  '--attr-source',
  '--super-prefix',
])

function gitProgram(name: Word, words: readonly Word[]): Omit<Program, 'trusted' | 'written'> {
  const directories: Word[] = []
  let objection: Objection | undefined
  let at = 0
  for (; at < words.length; at++) {
    const word = words[at]
    const option = known(word)
    if (!word?.fixed.startsWith('-') || option === '--version') break
    const directory = words[at + 1]
    if (option === '-C' && directory) {
      directories.push(directory)
      at += 1
    } else if (option === undefined || !gitHarmless.has(option)) {
      objection ??= { kind: 'option', text: word.text }
      if (option !== undefined && gitValued.has(option)) at += 1
    }
  }
  return { words: [name, ...words.slice(at)], directories, ...(objection ? { objection } : {}) }
}
