import { isUtf8 } from 'node:buffer'
import { readFileSync, type Stats } from 'node:fs'
import { devNull } from 'node:os'
import { dirname, isAbsolute } from 'node:path'
import { tried } from '../../base/errno.ts'
import { type ConfigEntry, isInclude, parseGitConfig } from '../../base/git-config.ts'
import { hooks } from '../../base/obeyed-names.ts'
import type { Looks } from './looks.ts'

export interface Places {
  readonly home: string
  readonly looks: Looks
  /** Whether it lies strictly beneath what commands may change. Without links. */
  readonly isInside: (path: string) => boolean
}

export interface Settings {
  readonly entries: readonly ConfigEntry[]
  /** Files that they include. */
  readonly included: readonly string[]
}

/** Files that are read. Git bounds the depth (config.c, MAX_INCLUDE_DEPTH). */
const maxFiles = 500

/** Configurations with what they include: under any condition, as it may hold later, unless `always` says otherwise. */
export function settingsIn(files: readonly string[], places: Places, always = false): Settings {
  const [entries, included, read]: [ConfigEntry[], string[], Set<string>] = [[], [], new Set()]
  const readFile = (file: string): void => {
    if (read.has(file)) return
    if (read.add(file).size > maxFiles) {
      refuse(file, 'because more than 500 files are included', mend, places)
      return
    }
    for (const entry of entriesIn(file, places))
      if (!isInclude(entry)) entries.push(entry)
      else if (!always || entry.key === 'include.path')
        for (const path of placed(entry.value, dirname(file), places.home)) {
          included.push(path)
          readFile(path)
        }
  }
  files.forEach(readFile)
  return { entries, included }
}

const maxBytes = 1_048_576
const mend = 'mend that file ("git config --list --file FILE" says what git reads in it)'

/** None of a file that is missing; what git might read differently is refused. */
function entriesIn(file: string, places: Places): readonly ConfigEntry[] {
  const { looks, isInside } = places
  const status = looks.status(file)
  // Those outside are of other users, or of repositories above, to which git comes only where none is below.
  const isHidden = !status && isInside(file) && looks.isHidden(file)
  if ((!status && !isHidden) || looks.way(file).end === devNull) return []
  const isSmall = status?.isFile() && status.size <= maxBytes
  const text = isSmall ? tried(() => readFileSync(file, 'latin1')) : undefined
  // Git's strings end at a NUL. Read as bytes, because a name need not be UTF-8.
  const entries = text === undefined || text.includes('\0') ? undefined : parseGitConfig(text)
  const decoded = entries?.map(({ key, value }) => ({ key, value: decodedOf(value, key) }))
  if (decoded?.every(isDecoded)) return decoded
  refuse(file, ...whyNot(status, text), places)
  return []
}

/** Undefined: the value is not UTF-8, so that what it names could not be protected. */
function decodedOf(value: string, key: string): string | undefined {
  if (/^[\0-\x7f]*$/.test(value)) return value
  const bytes = Buffer.from(value, 'latin1')
  return isUtf8(bytes) ? bytes.toString('utf8') : isData(key) ? '' : undefined
}

function isDecoded(entry: { key: string; value: string | undefined }): entry is ConfigEntry {
  return entry.value !== undefined
}

function whyNot(status: Stats | undefined, text: string | undefined): [reason: string, remedy: string] {
  if (status && !status.isFile())
    return ['because it is not a regular file', 'put a regular file in its place, or remove it']
  if (status && status.size > maxBytes) return ['because it is larger than 1 MiB', mend]
  return text === undefined
    ? ['because it cannot be read', 'let vitrine read that file (permissions of it and of what it lies in)']
    : ['because git refuses it or it is not UTF-8', mend]
}

function refuse(file: string, reason: string, remedy: string, { looks }: Places): void {
  looks.refuse(file, `a configuration of git that may name any file of the workspace, ${reason}`, remedy)
}

/**
 * What git obeys or runs because settings name it, where commands could change it or a link on the way.
 * @param tops where git may start programs: the tops of work trees, and git directories
 */
export function namedBy(
  { entries, included }: Settings,
  tops: Iterable<string>,
  places: Places,
): readonly string[] {
  const words = entries.flatMap(wordsOf)
  const named = [...tops].flatMap((top) => words.flatMap((word) => pathsOf(word, top, places)))
  return [...included, ...named].flatMap((path) => insideOf(path, places))
}

/** As it is written where a link is on the way, so that the link is protected as well. None: commands can change nothing of it. */
export function insideOf(path: string, { looks, isInside }: Places): readonly string[] {
  const { links, end } = looks.way(path)
  if (!links.some(isInside) && isInside(end)) return [end]
  // A link that appears outside may lead in.
  looks.ancestorsOf(end)
  looks.paths.add(end)
  return isInside(end) || links.some(isInside) ? [path] : []
}

/**
 * Values that are data: names of refs, remotes and people, addresses, patterns, and places whose content git does not obey, or
 * that commands change in ordinary work. Every value of every other key counts.
 */
const data = new RegExp(
  `^(?:${[
    'remote\\.(?:.*\\.(?!uploadpack$|receivepack$|vcs$|proxy$))?[^.]*',
    '(?:branch|user|author|committer|url|safe|svn-remote|notes|color|gitflow\\.(?:prefix|branch))\\..*',
    'submodule\\.(?:active|.*\\.(?:url|branch|active|path))',
    'lfs\\.(?!extension\\.|customtransfer\\.|standalonetransferagent$|.*\\.standalonetransferagent$).*',
    '(?:transfer|receive|uploadpack)\\.hiderefs',
    'core\\.(?:worktree|excludesfile)|blame\\.ignorerevsfile|mailmap\\.(?:file|blob)|init\\.defaultbranch',
    'format\\.outputdirectory|log\\.excludedecoration|maintenance\\.repo|scalar\\.repo|gui\\.recentrepo',
  ].join('|')})$`,
  's',
)

function isData(key: string): boolean {
  return data.test(key)
}

/** Keys whose value is a path, also without a slash in it and where nothing has it yet. */
const pathname =
  /^(?!(?:difftool|mergetool|man|browser)\.).*\.[^.]*(?:path|file|dir|directory|template|cainfo|capath|cert|sslkey|skiplist)$/s

/** Keys whose value is a command line: a word of it may be a script that an interpreter reads. */
const commandLine =
  /^core\.(?:fsmonitor|gitproxy)$|^pager\.|\.(?:driver|[^.]*(?:pager|editor|command|cmd|program|helper|askpass|external|clean|smudge|process|textconv|difffilter|hook))$/s

/** A word of a value, and when it names something that git obeys. `as hooks`: of `core.hooksPath`. */
interface Word {
  readonly word: string
  readonly counts: 'always' | 'as hooks' | 'unless a directory' | 'if executable' | 'if a file'
}

/** Splits a command line roughly: a wrong word only protects one path more. */
function wordsOf({ key, value }: ConfigEntry): readonly Word[] {
  if (isData(key) || isAddress(value)) return []
  const all = (counts: Word['counts'], words: readonly string[]) => words.map((word) => ({ word, counts }))
  if (key === 'core.hookspath') return all('as hooks', spellingsOf(value))
  if (isSwitch(key, value)) return []
  const words = partsOf(value)
  const paths = words.filter((word) => word.includes('/'))
  const names = words.filter((word) => !word.includes('/'))
  if (key.startsWith('alias.')) {
    // Git completes other aliases with a command of its own: `log origin/main`, `diff src/`.
    const counts = value.startsWith('!') ? 'unless a directory' : 'if executable'
    return [...all(counts, paths), ...all('if executable', names)]
  }
  const isPath = pathname.test(key) || (value.includes('/') && /(?:path|program)$/.test(key))
  return [
    ...all('always', [...(isPath ? spellingsOf(value) : []), ...paths]),
    ...all(commandLine.test(key) ? 'if a file' : 'if executable', names),
  ]
}

/** A boolean or a number (git-config(1), "Types") under a key that takes neither a path nor a command. */
function isSwitch(key: string, value: string): boolean {
  const takesProgram = key.startsWith('alias.') || pathname.test(key) || commandLine.test(key)
  return /^(?:true|false|yes|no|on|off|-?\d+[kmg]?)$/i.test(value) && !takesProgram
}

/** Where git finds what a word names, started at `top`. */
function pathsOf({ word, counts }: Word, top: string, { home, looks, isInside }: Places): readonly string[] {
  // Most words name nothing there.
  if (counts.startsWith('if') && !word.includes('/') && !looks.entries(top)?.has(word)) return []
  const paths = placed(word, top, home)
  if (counts === 'always') return paths
  if (counts !== 'as hooks') return paths.filter((path) => isCounted(looks.status(path), counts))
  // Where the directory holds a root, the names of git's hooks.
  return paths.flatMap((path) =>
    isInside(looks.way(path).end) ? [path] : hooks.map((name) => `${path}/${name}`),
  )
}

function isCounted(status: Stats | undefined, counts: Word['counts']): boolean {
  if (counts === 'unless a directory') return !status?.isDirectory()
  return status?.isFile() === true && (counts === 'if a file' || (status.mode & 0o111) !== 0)
}

/** Before 2.45 git makes spaces of other blanks. */
function spellingsOf(value: string): readonly string[] {
  return [...new Set([value, value.replaceAll(/\s/g, ' ')])]
}

function isAddress(value: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\/\S*$/i.test(value) && !/^file:/i.test(value)
}

/** Words by the shell's separators; with quotes and backslashes taken as such, and without what a variable stands for. */
function partsOf(line: string): readonly string[] {
  const split = line.match(/[^\s"'`;|&<>()=!{}]+/g) ?? []
  const quoted = [...line.matchAll(/"([^"]*)"|'([^']*)'/g)].map(([, one, other]) => one ?? other ?? '')
  const escaped = line.includes('\\')
    ? (line.match(/(?:\\.|[^\s\\])+/gs) ?? []).map((word) => word.replaceAll(/\\(.)/gs, '$1'))
    : []
  const all = [...split, ...quoted, ...escaped]
  const listed = all.flatMap((word) => (/[:,]/.test(word) ? [word, ...word.split(/[:,]/)] : [word]))
  const parts = listed.flatMap(withoutSign)
  const plain = /[$`]/.test(line) ? parts.flatMap(withoutVariable) : parts
  return [...new Set(plain)].filter(Boolean)
}

/** Programs read arguments from `@FILE`. Of a glob the directory before it counts. */
function withoutSign(word: string): readonly string[] {
  const file = word.replace(/^@/, '')
  const before = /^([^*?[]+)\/[^/]*[*?[]/.exec(file)?.[1]
  return [word, file, ...(before === undefined ? [] : [before.includes('/') ? before : `./${before}`])]
}

/** `$HOME/x` is in the home directory; what else stands before a slash may be the top of the work tree. */
function withoutVariable(word: string): readonly string[] {
  const rest = /^(?:\$\w*|\$?\{.*\})?\/(.*)$/s.exec(word)?.[1]
  return rest === undefined ? [word] : [word, `./${rest}`, `~/${rest}`]
}

/**
 * Absolute, not normalized. None where git inserts its own prefix (gitconfig, "pathname"), or for a user that passwd(5) does not list.
 */
export function placed(written: string, from: string, home: string): readonly string[] {
  const value = written.replace(/^:\(optional\)/, '')
  if (value === '' || value.startsWith('%(')) return []
  const [, user, rest = ''] = /^~([^/]*)(.*)$/s.exec(value) ?? []
  if (user === undefined) return [isAbsolute(value) ? value : `${from}/${value}`]
  const own = user === '' ? home : homeOfUser(user)
  return own === undefined ? [] : [`${own}${rest}`]
}

function homeOfUser(name: string): string | undefined {
  const lines = tried(() => readFileSync('/etc/passwd', 'utf8'))?.split('\n') ?? []
  return lines.map((line) => line.split(':')).findLast(([user]) => user === name)?.[5]
}
