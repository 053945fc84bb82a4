import type { ConfigEntry } from '../../base/git/config.ts'
import { words } from '../../base/text.ts'
import type { FoundEntry } from '../../facts/facts.ts'
import { readOnlyGit } from '../../request/environment.ts'
import { shownMerges } from '../checks/git.ts'

// Written by `git lfs install --local`; runs git-lfs, which the user installed.
const lfs = new Set([
  'filter.lfs.clean=git-lfs clean -- %f',
  'filter.lfs.smudge=git-lfs smudge -- %f',
  'filter.lfs.smudge=git-lfs smudge --skip -- %f',
  'filter.lfs.process=git-lfs filter-process',
  'filter.lfs.process=git-lfs filter-process --skip',
])
/** Values that override repository settings for lines that only read. Git takes `safe.*` from no repository. */
export const readOnlyValues: ReadonlyMap<string, string> = new Map(
  Object.entries(readOnlyGit)
    .filter(([key]) => key !== 'safe.bareRepository')
    .map(([key, value]) => [key.toLowerCase(), value]),
)

const SECTION =
  /^(?:include|includeif|alias|pager|protocol)\.|^lfs\.(?:extension|customtransfer|standalone)|^(?:difftool|mergetool|browser|man)\..*\.path$/
// git-config(1): keys that name a command or program, make git fetch on its own, or select another work tree.
const NAME =
  /\.(?:external|worktree|clean|smudge|process|driver|promisor|partialclonefilter|partialclone|vcs|uploadpack|receivepack|gitproxy|sshcommand|pager|smtpserver|tunnel|httpd|templatedir|.*(?:command|cmd|program|helper|editor|textconv|askpass|browser|hook|difffilter))$/
/** May ask for signatures, which starts gpg. */
const FORMAT = /^(?:pretty\..*|format\.pretty)$/
const SORT = /^(?:branch|tag)\.sort$/
/** The first entry that runs something. `protectedLine`: the environment overrides `readOnlyValues`. */
export function dangerousEntry(
  entries: readonly FoundEntry[],
  protectedLine: boolean,
): FoundEntry | undefined {
  return entries.find((entry) => isDangerous(entry) || (!protectedLine && isOverruled(entry)))
}

function isOverruled({ key, value }: ConfigEntry): boolean {
  // git inserts a home directory or prefix, unknown here, and takes `:(optional)` away; other values are resolved with the hooks.
  if (key === 'core.hookspath') return /^[~%:]/.test(value)
  if (key === 'log.diffmerges') return !shownMerges.test(value)
  const harmless = readOnlyValues.get(key)
  return harmless !== undefined && value !== harmless
}

function isDangerous({ key, value }: ConfigEntry): boolean {
  if (readOnlyValues.has(key) || lfs.has(`${key}=${value}`)) return false
  if (FORMAT.test(key) && value.includes('%G')) return true
  if (SORT.test(key) && value.includes('signature')) return true
  return SECTION.test(key) || NAME.test(key) || value.startsWith('!')
}

// A conversion or comparison of file contents, which git status and git diff need.
const CONVERSION =
  /^(?:filter|lfs\.extension)\..*\.(?:clean|smudge|process)$|^diff\.(?:external|.*\.(?:command|textconv))$/
const INCLUDE = /^include(?:if)?\./
/** A partial clone fetches missing contents when they are looked at. */
const PARTIAL = /^remote\..*\.promisor$|^extensions\.partialclone$/s
const FETCHING = /^protocol\.|\.(?:uploadpack|gitproxy|sshcommand|vcs|askpass|helper)$/

// git-hook(1): `core.hooksPath` does not switch these off.
const HOOK_COMMAND = /^hook\..*\.command$/s
const HOOK_EVENT = /^hook\..*\.event$/s

/** Entries by which a git command of the safe list runs a program although its environment overrides `readOnlyValues`. */
export function entriesActedOn(entries: readonly FoundEntry[]): readonly FoundEntry[] {
  const fetches = entries.some(({ key }) => PARTIAL.test(key))
  const hooked = entries.some(({ key, value }) => HOOK_EVENT.test(key) && everywhere.includes(value))
  const isActedOn = ({ key }: ConfigEntry) =>
    CONVERSION.test(key) ||
    INCLUDE.test(key) ||
    FORMAT.test(key) ||
    SORT.test(key) ||
    (fetches && FETCHING.test(key)) ||
    (hooked && HOOK_COMMAND.test(key))
  return entries.filter((entry) => isDangerous(entry) && isActedOn(entry))
}

/** True if the entry's value is a command line. */
export function namesCommand(key: string): boolean {
  return (
    CONVERSION.test(key) ||
    HOOK_COMMAND.test(key) ||
    /\.(?:driver|pager|editor|sshcommand|askpass|program)$/.test(key)
  )
}

// Client-side hooks (githooks(5)); any command may run those in `everywhere`.
const everywhere = ['post-index-change', 'reference-transaction', 'pre-auto-gc']
const HOOK =
  /^(?:(?:pre|post)-(?:applypatch|commit|merge-commit|checkout|merge|rewrite|push|rebase|index-change|auto-gc)|applypatch-msg|prepare-commit-msg|commit-msg|reference-transaction)$/
/** Subcommands that run no hooks but `everywhere`: they refresh the index or move references. */
const plain = new Set(
  words(
    'add rm mv reset restore branch tag stash fetch remote config init clean apply gc notes update-index status diff',
  ),
)

/** The first hook that git would run. `onlyReads`: on the safe list, so it at most refreshes the index. */
export function hookOf(
  hooks: readonly string[],
  subcommand: string | undefined,
  onlyReads: boolean,
): string | undefined {
  const few = onlyReads || (subcommand !== undefined && plain.has(subcommand))
  return hooks.find((path) => {
    const name = path.slice(path.lastIndexOf('/') + 1).replace(/\.exe$/, '')
    return few ? everywhere.includes(name) : HOOK.test(name)
  })
}
