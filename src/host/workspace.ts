import { join, resolve } from 'node:path'
import { baseDirectory, homeOf, isBeneath } from '../base/paths.ts'
import type { Environment } from '../base/types.ts'
import { gitRoot, realDirectory } from '../config/files.ts'
import type { LoadedConfig } from '../config/load.ts'
import { workTreeOf } from '../sandbox/workspace/work-tree.ts'

interface Place {
  readonly cwd: string
  /** The caller's, which git gets outside of the sandbox. */
  readonly env: Environment
}

/** `workspace` lies in `whole`, which lies in `searched`. Real paths. */
export interface Workspace {
  readonly workspace: string
  /** What it would be without untrusted project files, which may narrow it, and with a repository that a command has broken. */
  readonly whole: string
  /** Where secrets are searched: with a `.git` of any kind. */
  readonly searched: string
  /** What makes it the workspace. */
  readonly why: 'configured' | 'work tree' | 'directory'
}

/**
 * Without `policy.workspace` the policy is unlimited; for workspace mode and reads the work tree is the workspace that git finds
 * from the shell's directory, else that directory.
 */
export function workspaceOf({ config, outerWorkspace }: LoadedConfig, { cwd, env }: Place): Workspace {
  const [inner, outer] = [config.policy.workspace, outerWorkspace ?? config.policy.workspace]
  const here = realDirectory(cwd)
  const { top, lost } = workTreeOf(here, { env, home: homeOf(env), configs: gitConfigsOf(env) })
  const directory = (path: string, usual: string) => (path === '' ? usual : realDirectory(path))
  const whole = directory(outer, lost ?? top ?? here)
  const workspace = directory(inner, top ?? here)
  return {
    workspace: isBeneath(workspace, whole) ? workspace : whole,
    whole,
    searched: searchedFrom({ config, outerWorkspace }, cwd),
    why: inner !== '' ? 'configured' : top === undefined ? 'directory' : 'work tree',
  }
}

/** The widest place that may be a project's: `searched` of its workspace. */
export function searchedFrom(
  { config, outerWorkspace }: Pick<LoadedConfig, 'config' | 'outerWorkspace'>,
  cwd: string,
): string {
  const outer = outerWorkspace ?? config.policy.workspace
  return outer === '' ? gitRoot(cwd) : realDirectory(outer)
}

/** Git's system-wide configuration and the user's: git-config(1), FILES. */
export function gitConfigsOf(env: Environment): readonly string[] {
  const { GIT_CONFIG_SYSTEM: system, GIT_CONFIG_GLOBAL: own } = env
  const usual = [join(baseDirectory(env, 'XDG_CONFIG_HOME'), 'git/config'), join(homeOf(env), '.gitconfig')]
  const files = [system || '/etc/gitconfig', ...(own === undefined ? usual : [own])]
  return files.filter((file) => file !== '').map((file) => resolve(file))
}
