import { realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { tried } from '../base/errno.ts'
import type { Opening } from '../base/hint.ts'
import { packageRoot } from '../base/package-file.ts'
import { baseDirectory, homeOf, isBeneath, passwdHome, realPath } from '../base/paths.ts'
import type { UnmetInWorkspace } from '../base/refusal.ts'
import { visible } from '../base/text.ts'
import type { Environment } from '../base/types.ts'
import { auditFiles, gitRoot, realDirectory, userConfigFile } from '../config/files.ts'
import type { LoadedConfig } from '../config/load.ts'
import { unavailable } from '../messages/error.ts'
import type { Changes, Sandbox } from '../sandbox/sandbox.ts'
import { type ChangesWanted, rememberedChanges, tooWide } from '../sandbox/workspace/changes.ts'
import { workTreeOf } from '../sandbox/workspace/git-directories.ts'
import type { Unfit } from '../sandbox/workspace/looks.ts'
import { holdsObeyed, obeyedAround, obeyedPlaces } from '../sandbox/workspace/obeyed.ts'
import { Repositories } from '../sandbox/workspace/repositories.ts'
import { repositoriesRoot, stateRoot } from '../scratchpad/session.ts'

interface Place {
  readonly cwd: string
  /** The caller's, which git gets outside of the sandbox. */
  readonly env: Environment
  /** The directory that the caller has named. */
  readonly named?: string | undefined
}

/** `workspace` lies in `whole`, which lies in `searched`. Real paths. */
interface Workspace {
  readonly workspace: string
  /** What it would be with a repository that a command has broken. */
  readonly whole: string
  /** Where secrets are searched: with a `.git` of any kind. */
  readonly searched: string
  /** What makes it the workspace. */
  readonly why: 'named' | 'work tree' | 'directory'
}

/** The work tree that git finds from the shell's directory, else that directory, unless one is named. */
export function workspaceOf({ cwd, env, named }: Place): Workspace {
  const searched = searchedFrom(cwd, named)
  if (named !== undefined) {
    const workspace = realDirectory(named)
    return { workspace, whole: workspace, searched, why: 'named' }
  }
  const here = realDirectory(cwd)
  const { top, lost } = workTreeOf(here, { env, home: homeOf(env), configs: gitConfigsOf(env) })
  const [workspace, whole] = [top ?? here, lost ?? top ?? here]
  return {
    workspace: isBeneath(workspace, whole) ? workspace : whole,
    whole,
    searched,
    why: top === undefined ? 'directory' : 'work tree',
  }
}

/** The widest place that may be a project's: `searched` of its workspace. */
export function searchedFrom(cwd: string, named: string | undefined): string {
  return named === undefined ? gitRoot(cwd) : realDirectory(named)
}

/** Git's system-wide configuration and the user's: git-config(1), FILES. */
function gitConfigsOf(env: Environment): readonly string[] {
  const { GIT_CONFIG_SYSTEM: system, GIT_CONFIG_GLOBAL: own } = env
  const usual = [join(baseDirectory(env, 'XDG_CONFIG_HOME'), 'git/config'), join(homeOf(env), '.gitconfig')]
  const files = [system || '/etc/gitconfig', ...(own === undefined ? usual : [own])]
  return files.filter((file) => file !== '').map((file) => resolve(file))
}

export interface WorkspaceChanges {
  /** As of each call, which throws SANDBOX_UNAVAILABLE if a directory cannot be opened to commands. */
  current(): Changes
  readonly repositories: Repositories
}

/** What commands of workspace mode may change. Resolved once: a link that replaces a directory later must not lead them elsewhere. */
export function changesIn(
  loaded: LoadedConfig,
  { sandbox, ...place }: Place & { readonly sandbox: Pick<Sandbox, 'pathStates'> },
): WorkspaceChanges {
  const { writable, protected: given, on_protected, new: makeable } = loaded.config.workspace
  const { whole, workspace } = workspaceOf(place)
  const { env } = place
  const repositories = new Repositories(workspace, repositoriesRoot(env))
  const wanted = {
    repositories,
    workspace,
    whole,
    writable: writable.map(realDirectory),
    protected: given,
    new: makeable,
    gitConfigs: gitConfigsOf(env),
    asks: on_protected === 'ask',
    own: { ...ownOf(env), files: ownFiles(loaded) },
  }
  const current = rememberedChanges(wanted, sandbox.pathStates)
  return {
    repositories,
    current: () => {
      const changes = current()
      if ('reason' in changes) throw unavailable(unfitRoot(changes))
      return changes
    },
  }
}

function unfitRoot({ path, reason, remedy }: Unfit): UnmetInWorkspace {
  const got = `${visible(path)}, ${reason}`
  return { for: 'workspace', wanted: 'a directory that commands may change', got, remedy }
}

/**
 * Whether a hint may advise a directory for `[workspace] writable`, or why not. Without a look at it, as its file system may not
 * answer.
 */
export function openingOf(directory: string, env: Environment): Opening {
  const own = ownOf(env)
  const obeyed = obeyedAround(directory, own.obeyed)
  if (obeyed) return { kind: 'obeyed', place: obeyed.path, by: obeyed.by }
  const isKernel = directory === '/dev' || unlisted.some((path) => isBeneath(directory, path))
  const isWide = tooWide(directory, own) !== undefined || holdsObeyed(directory, own.obeyed)
  return { kind: isKernel || isWide ? 'shut' : 'open' }
}

/** The kernel's, and where the system keeps programs and settings. */
const unlisted = ['/proc', '/sys', '/usr', '/opt', '/etc', '/boot', '/var/lib', '/var/spool']

type Own = ChangesWanted['own'] & Required<Pick<ChangesWanted['own'], 'homes' | 'obeyed'>>

function ownOf(env: Environment): Own {
  const home = realDirectory(homeOf(env))
  const homes = [passwdHome()].flatMap((path) => (path === undefined ? [] : [realDirectory(path)]))
  return {
    home,
    homes,
    obeyed: obeyedPlaces([...new Set([home, ...homes])], env),
    others: [userConfigFile(env), stateRoot(env)].map((path) => realDirectory(dirname(path))),
    // A bundled program may contain no package of vitrine.
    package: tried(() => realpathSync(packageRoot())),
  }
}

/** The configuration that was read, the tokens, and the audit log: they, or what they are links to, may lie in the workspace. */
function ownFiles({ files, config }: LoadedConfig): readonly string[] {
  const { tokens } = config.http
  const all = [
    ...files.map(({ file }) => file),
    ...auditFiles(config.audit.path),
    ...(tokens ? [tokens] : []),
  ]
  return [...new Set(all.flatMap((file) => [join(placeOf(dirname(file)), basename(file)), placeOf(file)]))]
}

/** Real as far as it exists and can be looked at: opening the audit log reports what is wrong with its directory. */
function placeOf(path: string): string {
  return realPath(path) ?? (dirname(path) === path ? path : join(placeOf(dirname(path)), basename(path)))
}
