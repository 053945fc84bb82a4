/** One entry of a git configuration. The section and the name are in lower case, a subsection is as written. */
export interface ConfigEntry {
  readonly key: string
  /** Without `=`: `true`. */
  readonly value: string
}

/** What the configuration of the repository says that a git command would find. */
export type RepositoryConfig =
  | { readonly kind: 'none' }
  | { readonly kind: 'read'; readonly entries: readonly ConfigEntry[] }
  | { readonly kind: 'unreadable'; readonly path: string; readonly why: string }

// What `git lfs install --local` writes; it runs git-lfs, which the user installed.
const lfs = new Set([
  'filter.lfs.clean=git-lfs clean -- %f',
  'filter.lfs.smudge=git-lfs smudge -- %f',
  'filter.lfs.smudge=git-lfs smudge --skip -- %f',
  'filter.lfs.process=git-lfs filter-process',
  'filter.lfs.process=git-lfs filter-process --skip',
])
// Set to harmless values for every line that only looks: safe words, all of it (GIT_CONFIG_COUNT in its environment).
const overridden = new Set(['core.fsmonitor', 'core.hookspath', 'log.showsignature'])

const SECTION = /^(?:include|includeif|alias|pager|protocol)\.|^lfs\.(?:extension|customtransfer|standalone)/
// git-config(1): names whose value is a command line, or a program to start; and what makes git fetch on its own.
const NAME =
  /\.(?:external|clean|smudge|process|driver|promisor|partialclonefilter|partialclone|vcs|uploadpack|receivepack|gitproxy|sshcommand|pager|.*(?:command|cmd|program|helper|editor|textconv|askpass|browser|hook|difffilter))$/
const VERIFYING = /^(?:pretty\..*|format\.pretty)$/

/**
 * The first key through which a repository could make git run something. Some are set to harmless values for a line that only
 * looks, all of it; `unprotected` is a safe command in a line that does more.
 */
export function dangerousKey(entries: readonly ConfigEntry[], unprotected: boolean): string | undefined {
  return entries.find((entry) => isDangerous(entry) || (unprotected && overridden.has(entry.key)))?.key
}

function isDangerous({ key, value }: ConfigEntry): boolean {
  if (overridden.has(key) || lfs.has(`${key}=${value}`)) return false
  if (VERIFYING.test(key)) return value.includes('%G') || value.startsWith('!')
  return SECTION.test(key) || NAME.test(key) || value.startsWith('!')
}
