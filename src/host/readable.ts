import { isAbsolute } from 'node:path'
import type { Environment } from '../base/types.ts'
import { realDirectory } from '../config/files.ts'
import { badSetting, type LoadedConfig } from '../config/load.ts'
import { Lookup, type PathLookup } from '../facts/lookup.ts'
import { wanted } from '../messages/wanted.ts'
import { placesOfShell } from '../request/interpreter.ts'
import { type Reads, readEverything } from '../sandbox/sandbox.ts'
import { workspaceOf } from './workspace.ts'

/**
 * What commands may read. Throws CONFIG_INVALID if none could start.
 * @param env the commands' variables
 * @param caller those of vitrine
 */
export async function readsOf(
  loaded: LoadedConfig,
  {
    cwd,
    env,
    caller,
    pathLookup,
  }: {
    readonly cwd: string
    readonly env: Environment
    readonly caller: Environment
    readonly pathLookup: PathLookup
  },
): Promise<Reads> {
  const { reads, unreadable, program } = loaded.config.shell
  if (reads === 'everywhere' && unreadable.length === 0) return readEverything
  // Loaded late: most shells do not restrict reads.
  const { readsFor, tooMuch } = await import('../sandbox/reads/reads.ts')
  const { searched, workspace } = workspaceOf(loaded, { cwd, env: caller })
  const shells = placesOfShell(program)
  const path = tooMuch(await new Lookup(pathLookup).where(unreadable.filter(isAbsolute)), workspace, shells)
  if (path !== undefined)
    throw await badSetting(loaded, 'shell.unreadable', wanted.unreadable(workspace), JSON.stringify(path))
  const writable = loaded.config.workspace.writable.map(realDirectory)
  return readsFor({ reads, unreadable, workspace, whole: searched, writable, shells, env })
}
