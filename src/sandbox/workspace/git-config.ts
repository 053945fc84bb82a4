import { isUtf8 } from 'node:buffer'
import { readFileSync, type Stats } from 'node:fs'
import { devNull } from 'node:os'
import { dirname, isAbsolute } from 'node:path'
import { tried } from '../../base/errno.ts'
import { type ConfigEntry, isInclude, parseGitConfig } from '../../base/git-config.ts'
import type { Looks } from './looks.ts'
import { hooks } from './obeyed-names.ts'

export interface NamedPlaces {
  readonly home: string
  readonly looks: Looks
  /** Whether it lies strictly beneath what commands may change. Without links. */
  readonly isInside: (path: string) => boolean
}

/** What git obeys or runs because these configurations name it, where commands could change it or a link on the way. */
export class NamedByConfigs {
  readonly #files: readonly string[]
  readonly #places: NamedPlaces
  readonly #entries: ConfigEntry[] = []
  readonly #included: string[] = []

  constructor(files: readonly string[], places: NamedPlaces) {
    this.#files = files
    this.#places = places
    this.#read()
  }

  /** The last value wins, as for git. */
  valueOf(key: string): string | undefined {
    return this.#entries.findLast((entry) => entry.key === key)?.value
  }

  /** @param tops where git may start programs: the tops of work trees, and git directories. */
  protectedFrom(tops: Iterable<string>): readonly string[] {
    const words = this.#entries.map(wordsOf)
    const named = [...tops].flatMap((top) => words.flatMap((each) => this.#namedFrom(top, each)))
    return [...this.#included, ...named].flatMap((path) => insideOf(path, this.#places))
  }

  #read(): void {
    const { looks, home } = this.#places
    const all = new Set(this.#files)
    // The loop also visits files added meanwhile. includeIf counts always: its condition may hold later.
    for (const file of all) {
      if (all.size > maxFiles) return void looks.refuse(file, 'config-many')
      for (const read of entriesIn(file, looks)) {
        const entry = { ...read, value: this.#decoded(read, file) }
        if (!isInclude(entry)) this.#entries.push(entry)
        else
          for (const path of placed(entry.value, dirname(file), home)) {
            this.#included.push(path)
            all.add(path)
          }
      }
    }
  }

  /** Read as bytes, because a name need not be UTF-8; one that is not could not be protected. */
  #decoded({ key, value }: ConfigEntry, file: string): string {
    if (/^[\0-\x7f]*$/.test(value)) return value
    const bytes = Buffer.from(value, 'latin1')
    if (isUtf8(bytes)) return bytes.toString('utf8')
    if (!isData(key)) this.#places.looks.refuse(file, 'config-invalid')
    return ''
  }

  #namedFrom(top: string, { paths, hooksPaths, names }: Words): readonly string[] {
    const { home, looks } = this.#places
    const at = (path: string) => placed(path, top, home)
    const found = names.filter(({ name, fits }) => {
      if (!name.includes('/') && !looks.names(top).has(name)) return false
      const status = at(name).map((path) => looks.status(path))[0]
      return fits === 'no directory' ? !status?.isDirectory() : isProgram(status, fits)
    })
    return [
      ...[...paths, ...found.map(({ name }) => name)].flatMap(at),
      ...hooksPaths.flatMap(at).flatMap((path) => this.#hooksIn(path)),
    ]
  }

  /** Where the directory holds a root, the names of git's hooks. */
  #hooksIn(path: string): readonly string[] {
    const { looks, isInside } = this.#places
    return isInside(looks.way(path).end) ? [path] : hooks.map((name) => `${path}/${name}`)
  }
}

/** Files that are read. Git bounds the depth (config.c, MAX_INCLUDE_DEPTH). */
const maxFiles = 500

/** As it is written where a link is on the way, so that the link is protected as well. None: commands can change nothing of it. */
export function insideOf(path: string, { looks, isInside }: Omit<NamedPlaces, 'home'>): readonly string[] {
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

/** A word that counts where a file has that name, or unless a directory has it. */
interface Name {
  readonly name: string
  readonly fits: 'executable' | 'any file' | 'no directory'
}

interface Words {
  readonly paths: readonly string[]
  /** Of `core.hooksPath`. */
  readonly hooksPaths: readonly string[]
  readonly names: readonly Name[]
}

/** Splits a command line roughly: a wrong word only protects one path more. */
function wordsOf({ key, value }: ConfigEntry): Words {
  const none = { paths: [], hooksPaths: [], names: [] }
  if (isData(key) || isAddress(value)) return none
  if (key === 'core.hookspath') return { ...none, hooksPaths: spellingsOf(value) }
  if (isSwitch(key, value)) return none
  const words = partsOf(value)
  const all = (fits: Name['fits'], some: readonly string[]) => some.map((name) => ({ name, fits }))
  const [paths, names] = [
    words.filter((word) => word.includes('/')),
    words.filter((word) => !word.includes('/')),
  ]
  if (key.startsWith('alias.')) {
    // Git completes other aliases with a command of its own: `log origin/main`, `diff src/`.
    const fits = value.startsWith('!') ? 'no directory' : 'executable'
    return { ...none, names: [...all(fits, paths), ...all('executable', names)] }
  }
  const whole = pathname.test(key) || (value.includes('/') && /(?:path|program)$/.test(key))
  return {
    ...none,
    paths: [...(whole ? spellingsOf(value) : []), ...paths],
    names: all(commandLine.test(key) ? 'any file' : 'executable', names),
  }
}

/** A boolean or a number (git-config(1), "Types") under a key that takes neither a path nor a command. */
function isSwitch(key: string, value: string): boolean {
  const takesProgram = key.startsWith('alias.') || pathname.test(key) || commandLine.test(key)
  return /^(?:true|false|yes|no|on|off|-?\d+[kmg]?)$/i.test(value) && !takesProgram
}

function isProgram(status: Stats | undefined, fits: Name['fits']): boolean {
  return status?.isFile() === true && (fits === 'any file' || (status.mode & 0o111) !== 0)
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
  const parts = all.flatMap((word) => (word.includes(':') ? [word, ...word.split(':')] : [word]))
  return [...new Set(parts.flatMap((word) => (/[$`]/.test(line) ? withoutVariable(word) : [word])))].filter(
    Boolean,
  )
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
  const own = user === '' ? home : homes().get(user)
  return own === undefined ? [] : [`${own}${rest}`]
}

/** By user. */
function homes(): ReadonlyMap<string, string> {
  const lines = (tried(() => readFileSync('/etc/passwd', 'utf8')) ?? '')
    .split('\n')
    .map((line) => line.split(':'))
  return new Map(lines.map(([user = '', , , , , home = '']) => [user, home]))
}

const maxBytes = 1_048_576

/** Values are bytes, as latin1. Empty for a file that is missing; what git might read differently is refused. */
export function entriesIn(file: string, looks: Looks): readonly ConfigEntry[] {
  const status = looks.status(file)
  if (!status || looks.way(file).end === devNull) return []
  if (!status.isFile()) return refused(file, 'config-kind', looks)
  if (status.size > maxBytes) return refused(file, 'config-size', looks)
  const text = tried(() => readFileSync(file, 'latin1'))
  if (text === undefined) return refused(file, 'config-unreadable', looks)
  // Git's strings end at a NUL.
  const entries = text.includes('\0') ? undefined : parseGitConfig(text)
  return entries ?? refused(file, 'config-invalid', looks)
}

function refused(
  file: string,
  why: 'config-kind' | 'config-size' | 'config-unreadable' | 'config-invalid',
  looks: Looks,
) {
  looks.refuse(file, why)
  return []
}
