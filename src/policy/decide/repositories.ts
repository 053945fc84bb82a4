import type { ConfigEntry, FoundEntry } from '../../facts/facts.ts'

// What `git lfs install --local` writes; it runs git-lfs, which the user installed.
const lfs = new Set([
  'filter.lfs.clean=git-lfs clean -- %f',
  'filter.lfs.smudge=git-lfs smudge -- %f',
  'filter.lfs.smudge=git-lfs smudge --skip -- %f',
  'filter.lfs.process=git-lfs filter-process',
  'filter.lfs.process=git-lfs filter-process --skip',
])
/**
 * Keys that a line which only looks gets a harmless value for, whatever a repository says (GIT_CONFIG_COUNT in its
 * environment), with that value.
 */
export const lookingValues: ReadonlyMap<string, string> = new Map([
  ['core.hookspath', '/dev/null'],
  ['core.fsmonitor', 'false'],
  ['log.showsignature', 'false'],
  ['diff.submodule', 'short'],
  ['status.submodulesummary', 'false'],
  ['submodule.recurse', 'false'],
])

const SECTION =
  /^(?:include|includeif|alias|pager|protocol)\.|^lfs\.(?:extension|customtransfer|standalone)|^(?:difftool|mergetool|browser|man)\..*\.path$/
// git-config(1): names whose value is a command line, or a program to start; and what makes git fetch on its own, or look
// at another work tree than the one around.
const NAME =
  /\.(?:external|worktree|clean|smudge|process|driver|promisor|partialclonefilter|partialclone|vcs|uploadpack|receivepack|gitproxy|sshcommand|pager|smtpserver|tunnel|httpd|templatedir|.*(?:command|cmd|program|helper|editor|textconv|askpass|browser|hook|difffilter))$/
/** They may ask for signatures, which starts gpg. */
const FORMAT = /^(?:pretty\..*|format\.pretty)$/
const SORT = /^(?:branch|tag)\.sort$/
/**
 * The first entry through which a repository could make git run something. `protectedLine`: the line only looks, so its
 * environment overrules `lookingValues`.
 */
export function dangerousEntry(
  entries: readonly FoundEntry[],
  protectedLine: boolean,
): FoundEntry | undefined {
  return entries.find((entry) => isDangerous(entry) || (!protectedLine && isOverruled(entry)))
}

function isOverruled({ key, value }: ConfigEntry): boolean {
  // Which home directory git means, or which prefix, is not known here; any other value is looked into.
  if (key === 'core.hookspath') return /^[~%]/.test(value)
  const harmless = lookingValues.get(key)
  return harmless !== undefined && value !== harmless
}

function isDangerous({ key, value }: ConfigEntry): boolean {
  if (lookingValues.has(key) || lfs.has(`${key}=${value}`)) return false
  if (FORMAT.test(key) && value.includes('%G')) return true
  if (SORT.test(key) && value.includes('signature')) return true
  return SECTION.test(key) || NAME.test(key) || value.startsWith('!')
}

// githooks(5), of those that a client runs.
const everywhere = ['post-index-change', 'reference-transaction', 'pre-auto-gc']
const HOOK =
  /^(?:(?:pre|post)-(?:applypatch|commit|merge-commit|checkout|merge|rewrite|push|rebase|index-change|auto-gc)|applypatch-msg|prepare-commit-msg|commit-msg|reference-transaction)$/
/** Subcommands that run no other hooks than those of every command: they refresh the index, or move references. */
const plain = new Set(
  'add rm mv reset restore branch tag stash fetch remote config init clean apply gc notes update-index status diff'.split(
    ' ',
  ),
)

/**
 * The first hook that a git command would run.
 * @param subcommand undefined: it is not known
 * @param looks the command is on the safe list: it may refresh the index, and no more
 */
export function hookOf(
  hooks: readonly string[],
  subcommand: string | undefined,
  looks: boolean,
): string | undefined {
  const few = looks || (subcommand !== undefined && plain.has(subcommand))
  return hooks.find((path) => {
    const name = path.slice(path.lastIndexOf('/') + 1).replace(/\.exe$/, '')
    return few ? everywhere.includes(name) : HOOK.test(name)
  })
}
