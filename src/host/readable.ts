import { isAbsolute } from 'node:path'
import { isBeneath } from '../base/paths.ts'
import type { Environment } from '../base/types.ts'
import { gitRoot, realDirectory } from '../config/files.ts'
import { badSetting, type LoadedConfig } from '../config/load.ts'
import { Lookup, type PathLookup } from '../facts/lookup.ts'
import { wanted } from '../messages/wanted.ts'
import { placesOfShell } from '../request/interpreter.ts'
import { type Reads, readEverything } from '../sandbox/sandbox.ts'

/**
 * What commands may read. Throws CONFIG_INVALID if none could start.
 * @param env the caller's variables, overridden by those of commands
 */
export async function readsOf(
  loaded: LoadedConfig,
  {
    cwd,
    env,
    pathLookup,
  }: { readonly cwd: string; readonly env: Environment; readonly pathLookup: PathLookup },
): Promise<Reads> {
  const { reads, unreadable, program } = loaded.config.shell
  if (reads === 'everywhere' && unreadable.length === 0) return readEverything
  // Loaded late: most shells do not restrict reads.
  const { readsFor, tooMuch } = await import('../sandbox/reads/reads.ts')
  const { whole, workspace } = workspaceOf(loaded, cwd)
  const shells = placesOfShell(program)
  const path = tooMuch(await new Lookup(pathLookup).where(unreadable.filter(isAbsolute)), workspace, shells)
  if (path !== undefined)
    throw await badSetting(loaded, 'shell.unreadable', wanted.unreadable(workspace), JSON.stringify(path))
  const writable = loaded.config.workspace.writable.map(realDirectory)
  return readsFor({ reads, unreadable, workspace, whole, writable, shells, env })
}

/** `workspace` lies in `whole`. Both are real paths. */
export interface Workspace {
  readonly whole: string
  readonly workspace: string
}

/**
 * `whole`: without untrusted project files, which may narrow the workspace; secrets are searched in all of
 * it. Without `policy.workspace` the policy is unlimited; for reads the git root is the workspace.
 */
export function workspaceOf({ config, outerWorkspace }: LoadedConfig, cwd: string): Workspace {
  const named = config.policy.workspace
  const directory = (path: string) => (path === '' ? gitRoot(cwd) : realDirectory(path))
  const [whole, workspace] = [directory(outerWorkspace ?? named), directory(named)]
  return { whole, workspace: isBeneath(workspace, whole) ? workspace : whole }
}
