import { words } from '../base/text.ts'
import { knownValue, type SimpleCommand, type Word } from './line.ts'
import type { Rule } from './rules.ts'

export const builtIn = 'built-in safe list'

/** Rules by program name, longest prefix first. */
export type RuleIndex = ReadonlyMap<string, readonly Rule[]>

export function indexRules(rules: readonly Rule[]): RuleIndex {
  const index = new Map<string, Rule[]>()
  for (const rule of rules) {
    const name = rule.prefix[0] ?? ''
    index.set(name, [...(index.get(name) ?? []), rule])
  }
  for (const list of index.values()) list.sort((a, b) => b.prefix.length - a.prefix.length)
  return index
}

/** Ones that read, in their usual forms. What another form does is the operating system's matter: they run held in read mode. */
const programs = words(`
  ls tree find fd fdfind stat file du df basename dirname realpath readlink cmp diff
  md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum shasum md5
  cat tac head tail less grep egrep fgrep rgrep rg ag wc sort uniq cut tr paste comm column col nl rev fold expand unexpand
  od hexdump hd strings xxd base64 jq sed awk gawk mawk nawk
  echo printf test [ [[ true false : cd read exit return break continue shift set command type which wait history pwd sleep seq
  hostname date env printenv whoami uname id arch users who groups logname tty nproc uptime w locale getconf free lscpu lsblk ps pgrep
  tar unzip man expr tput xargs timeout nice stdbuf time`)

/** What `shell.files` does without changing anything. */
const operations = words('read_file list_files glob_files grep_files')

/** The commands that they start are looked at too. A script in a file is not. */
const shellNames = words('sh bash dash')
const scriptOptions = words('-c -ec -lc -euc')
const shells = shellNames.flatMap((name) => scriptOptions.map((option) => `${name} ${option}`))

const gitReading = words(`
  log diff show blame status branch tag remote rev-parse rev-list shortlog describe ls-files ls-tree cat-file name-rev reflog`)
const gitForms = [
  'stash list',
  'stash show',
  ...words('--get --get-all --get-regexp --get-urlmatch --list -l list get').map((form) => `config ${form}`),
]
const gitFurther = words(`
  diff-tree diff-index diff-files annotate grep merge-base show-ref for-each-ref check-ignore check-attr cherry count-objects var
  version help`)

function git(subcommands: readonly string[]): readonly string[] {
  return subcommands.map((subcommand) => `git ${subcommand}`)
}

function versions(option: string, names: readonly string[]): readonly string[] {
  return names.map((name) => `${name} ${option}`)
}

const safeCommands = [
  ...programs,
  ...operations,
  ...shells,
  ...git([...gitReading, ...gitFurther, 'stash list', 'stash show', 'worktree list', 'config']),
  ...versions(
    '--version',
    words(
      'node npm python python3 pip pip3 ruby perl java javac php gcc g++ cc clang make cmake docker git curl wget tsc cargo rustc gh',
    ),
  ),
  ...versions('-version', words('java javac')),
  ...versions('-v', words('node npm php perl make tsc')),
  ...versions('-V', words('python python3 pip pip3 curl wget')),
]

const analysisPrograms = words(`
  ls find stat file du wc head tail cat sort uniq diff comm tr cut paste column grep egrep rg ag jq base64 xxd hexdump echo printf
  date printenv which type uname id whoami pwd realpath dirname basename tree less yq env xargs tokei scc cloc
  awk sed python python3 node npx uv cargo go java javac npm pip pip3 make ast-grep repomix`)

/** What the preset allows, for its message about another program. */
export const analysisList = { programs: analysisPrograms, subcommands: [...gitReading, 'stash', 'config'] }

function rule(text: string, source: string): Rule {
  return { prefix: text.split(' '), verdict: 'allow', source, reason: '' }
}

export function safeRules(): readonly Rule[] {
  return safeCommands.map((text) => rule(text, builtIn))
}

export function analysisRules(): readonly Rule[] {
  return [...analysisPrograms, ...operations, ...git([...gitReading, ...gitForms])].map((text) =>
    rule(text, 'preset analysis'),
  )
}

const readers = new Set(
  words('cd echo true false : pwd exit cat head tail grep egrep fgrep wc tr cut ls sleep'),
)
/** They start commands of the line, which are looked at themselves. Options of theirs could load, run or write something else. */
const starters = new Set(words('env timeout nice stdbuf time'))

/**
 * What may stand beside commands that a rule of the user allows to run unsandboxed: no argument makes it change anything.
 * @param own its own words, without those of a command that it starts
 */
export function changesNothing(
  { words: [head, option, script] }: SimpleCommand,
  own: readonly Word[],
): boolean {
  const name = knownValue(head) ?? ''
  // `-k` behind `-c` makes variables of words.
  if (shellNames.includes(name))
    return scriptOptions.includes(knownValue(option) ?? '') && !/^[-+]/.test(script?.fixed ?? '-')
  const words = name === 'timeout' && /^\d/.test(knownValue(own[1]) ?? '') ? own.slice(1) : own
  return readers.has(name) || (starters.has(name) && words.length === 1)
}
