import { join, resolve } from 'node:path'
import { baseDirectory, homeOf, isBeneath } from '../base/paths.ts'
import type { Environment } from '../base/types.ts'
import { realDirectory } from '../config/files.ts'
import type { LoadedConfig } from '../config/load.ts'
import { workTreeOf } from '../sandbox/workspace/work-tree.ts'

interface Place {
  readonly cwd: string
  /** The caller's, which git gets outside of the sandbox. */
  readonly env: Environment
}

/** `workspace` lies in `whole`. Both are real paths. */
export interface Workspace {
  readonly whole: string
  readonly workspace: string
  /** What makes it the workspace. */
  readonly why: 'configured' | 'work tree' | 'directory'
}

/**
 * `whole`: without untrusted project files, which may narrow the workspace; secrets are searched in all of
 * it. Without `policy.workspace` the policy is unlimited; for workspace mode and reads the work tree is the workspace that git
 * finds from the shell's directory, else that directory.
 */
export function workspaceOf({ config, outerWorkspace }: LoadedConfig, { cwd, env }: Place): Workspace {
  const named = config.policy.workspace
  const here = realDirectory(cwd)
  const workTree = workTreeOf(here, { env, home: homeOf(env), configs: gitConfigsOf(env) })
  const directory = (path: string) => (path === '' ? (workTree ?? here) : realDirectory(path))
  const [whole, workspace] = [directory(outerWorkspace ?? named), directory(named)]
  const why = named !== '' ? 'configured' : workTree === undefined ? 'directory' : 'work tree'
  return { whole, workspace: isBeneath(workspace, whole) ? workspace : whole, why }
}

/** Git's system-wide configuration and the user's: git-config(1), FILES. */
export function gitConfigsOf(env: Environment): readonly string[] {
  const { GIT_CONFIG_SYSTEM: system, GIT_CONFIG_GLOBAL: own } = env
  const usual = [join(baseDirectory(env, 'XDG_CONFIG_HOME'), 'git/config'), join(homeOf(env), '.gitconfig')]
  const files = [system || '/etc/gitconfig', ...(own === undefined ? usual : [own])]
  return files.filter((file) => file !== '').map((file) => resolve(file))
}
