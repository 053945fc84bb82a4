import { join, resolve } from 'node:path'
import { baseDirectory, homeOf, isBeneath } from '../base/paths.ts'
import type { Environment } from '../base/types.ts'
import { gitRoot, realDirectory } from '../config/files.ts'
import { workTreeOf } from '../sandbox/workspace/work-tree.ts'

interface Place {
  readonly cwd: string
  /** The caller's, which git gets outside of the sandbox. */
  readonly env: Environment
  /** The directory that the caller has named. */
  readonly named?: string | undefined
}

/** `workspace` lies in `whole`, which lies in `searched`. Real paths. */
export interface Workspace {
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
export function gitConfigsOf(env: Environment): readonly string[] {
  const { GIT_CONFIG_SYSTEM: system, GIT_CONFIG_GLOBAL: own } = env
  const usual = [join(baseDirectory(env, 'XDG_CONFIG_HOME'), 'git/config'), join(homeOf(env), '.gitconfig')]
  const files = [system || '/etc/gitconfig', ...(own === undefined ? usual : [own])]
  return files.filter((file) => file !== '').map((file) => resolve(file))
}
