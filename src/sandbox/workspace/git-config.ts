import { readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { tried } from '../../base/errno.ts'
import { isBeneath } from '../../base/paths.ts'
import type { ConfigEntry } from '../../facts/facts.ts'
import { isInclude, parseGitConfig } from '../../facts/git-config.ts'
import { namesCommand } from '../../policy/decide/repositories.ts'
import { isSettled, type Looks } from './looks.ts'
import { hooks } from './protected.ts'

export interface NamedPlaces {
  readonly home: string
  /** What commands may change: paths elsewhere do not matter. */
  readonly roots: readonly string[]
  /** The work tree: git starts hooks and programs there. */
  readonly top: string
  readonly looks: Looks
}

/** What git obeys or runs because these configurations name it: absolute paths beneath the roots. */
export function namedByConfigs(files: readonly string[], places: NamedPlaces): readonly string[] {
  const { included, entries } = readConfigs(files, places)
  const named = [...included, ...entries.flatMap((entry) => namedBy(entry, places))]
  return named.filter((path) => isIn(path, places.roots))
}

function isIn(path: string, roots: readonly string[]): boolean {
  return roots.some((root) => path !== root && isBeneath(path, root))
}

/** Files that are read; further ones are only protected. Git bounds the depth (config.c, MAX_INCLUDE_DEPTH). */
const maxFiles = 100

function readConfigs(files: readonly string[], { home, looks }: NamedPlaces) {
  const entries: ConfigEntry[] = []
  const included = new Set<string>()
  const all = new Set(files)
  // The loop also visits files added meanwhile. includeIf counts always: its condition may hold later.
  let read = 0
  for (const file of all)
    for (const entry of read++ < maxFiles ? entriesIn(file, looks) : []) {
      const path = isInclude(entry) ? placed(entry.value, dirname(file), home) : undefined
      if (path === undefined) entries.push(entry)
      else {
        included.add(path)
        all.add(path)
      }
    }
  return { included, entries }
}

function namedBy({ key, value }: ConfigEntry, places: NamedPlaces): readonly string[] {
  const { top, home, roots } = places
  const path = placed(value, top, home)
  if (path !== undefined && key === 'core.hookspath' && !isIn(path, roots))
    return hooks.map((name) => join(path, name))
  if (path !== undefined && (key === 'core.hookspath' || key === 'core.attributesfile')) return [path]
  return runs(key) ? wordsOf(value).flatMap((word) => fileNamed(word, places)) : []
}

/** Aliases are left out: git runs them only when the user names them. */
function runs(key: string): boolean {
  return (
    namesCommand(key) ||
    /^core\.(?:fsmonitor|gitproxy)$|\.(?:helper|command|cmd|difffilter|packobjectshook)$/.test(key)
  )
}

/** Splits a command line roughly: a wrong word only protects one path more. */
function wordsOf(line: string): readonly string[] {
  return line.match(/[^\s"'`;|&<>()=!]+/g) ?? []
}

/** A program without a slash is searched in PATH; an argument may still be a script in the work tree. */
function fileNamed(word: string, { top, home, looks }: NamedPlaces): readonly string[] {
  const path = placed(word, top, home)
  if (path === undefined) return []
  return word.includes('/') || looks.status(path)?.isFile() ? [path] : []
}

/** Undefined where git inserts another user's home directory or its own prefix (gitconfig, "pathname"). */
function placed(written: string, from: string, home: string): string | undefined {
  const value = written.replace(/^:\(optional\)/, '')
  if (value === '' || value.includes('\0') || /^(?:~[^/]|%\()/.test(value)) return undefined
  return value.startsWith('~') ? join(home, value.slice(1)) : resolve(from, value)
}

interface ReadFile {
  readonly state: string
  readonly entries: readonly ConfigEntry[]
}

const readFiles = new Map<string, ReadFile>()
const maxReadFiles = 500
const maxBytes = 1_048_576

/** Empty for a file that is missing, too large or invalid. Parsed again only when the file has changed. */
export function entriesIn(file: string, looks: Looks): readonly ConfigEntry[] {
  const status = looks.status(file)
  if (!status?.isFile() || status.size > maxBytes) return []
  const state = [status.dev, status.ino, status.size, status.mtimeMs, status.ctimeMs].join()
  const known = readFiles.get(file)
  if (known?.state === state) return known.entries
  const lasts = isSettled(status)
  const entries = parseGitConfig(tried(() => readFileSync(file, 'utf8')) ?? '') ?? []
  if (readFiles.size >= maxReadFiles) readFiles.clear()
  if (lasts) readFiles.set(file, { state, entries })
  return entries
}
