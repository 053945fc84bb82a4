import { words } from '../../base/text.ts'
import type { Arguments, Objection } from '../command/arguments.ts'
import { couldMatch } from '../syntax/globs.ts'
import type { Word } from '../syntax/line.ts'

// find(1): tests, options and actions that only read and print.
const alone = new Set(
  words(`
  -a -and -o -or -not ! ( ) , -true -false -empty -executable -readable -writable -nouser -nogroup -daystart -depth -d
  -follow -mount -xdev -x -noleaf -ignore_readdir_race -noignore_readdir_race -warn -nowarn -print -print0 -prune -quit -ls
  -H -L -P -E -s -X -O0 -O1 -O2 -O3 -version --version -help --help
`),
)
const withNumber = new Set(
  words(`
  -amin -atime -cmin -ctime -mmin -mtime -Bmin -Btime -used -size -links -inum -uid -gid -maxdepth -mindepth -depth
`),
)
const withText = new Set(
  words(`
  -name -iname -path -ipath -wholename -iwholename -lname -ilname -regex -iregex -regextype -type -xtype -fstype -user -group
  -context -printf -flags
`),
)
const withPath = new Set(words('-newer -anewer -cnewer -samefile'))
const NEWER = /^-newer[aBcm][aBcmt]$/
const NUMBER = /^[-+]?\d+[A-Za-z]?$/
const MODE = /^[-/+]?(?:[0-7]+|[ugoa]*[-+=][rwxXst]*(?:,[ugoa]*[-+=][rwxXst]*)*)$/
// Harmful expressions that an unquoted glob would insert if a file had such a name.
const harmful = words('-delete -exec -execdir -ok -okdir -fprint -fprint0 -fprintf -fls -files0-from')

export function checkFind({ words }: Arguments): Objection | undefined {
  for (let at = 0; at < words.length; at++) {
    const word = words[at]
    if (!word) break
    const kind = open(word)
    if (kind) return kind
    const name = word.kind === 'literal' ? word.value : ''
    if (!/^[-!(),]/.test(name) || alone.has(name)) continue
    const value = words[++at]
    const openValue = value && open(value)
    if (openValue) return openValue
    if (!value || !takes(name, value)) return { kind: 'option', text: value ? `${name} ${value.text}` : name }
  }
  return undefined
}

function takes(name: string, value: Word): boolean {
  if (name === '-perm') return MODE.test(value.value)
  if (withNumber.has(name)) return NUMBER.test(value.value)
  const known = withText.has(name) || withPath.has(name) || NEWER.test(name)
  return known && !(value.kind === 'literal' && value.value.startsWith('-'))
}

function open(word: Word): Objection | undefined {
  if (word.kind === 'literal' || word.kind === 'tilde') return undefined
  if (word.fixed !== '' && !/^[-!(),]/.test(word.fixed) && word.kind !== 'open') return undefined
  if (word.pattern !== undefined && !harmful.some((name) => couldMatch(word.pattern ?? '', name)))
    return undefined
  return { kind: 'open-word', text: word.text }
}

/** Words that name files: starting points, and files that tests compare with. */
export function pathsOfFind(words: readonly Word[]): readonly Word[] {
  const start = words.findIndex(({ value }) => /^(?:-[^HLPEsXO]|-..|[!(])/.test(value))
  const points = (start === -1 ? words : words.slice(0, start)).filter(({ value }) => !value.startsWith('-'))
  const compared = words.filter((_, index) => {
    const name = words[index - 1]?.value ?? ''
    return withPath.has(name) || NEWER.test(name) || name === '-path'
  })
  return [...points, ...compared]
}
