import { isAbsolute } from 'node:path'
import type { Environment } from '../base/types.ts'
import { realDirectory } from '../config/files.ts'
import { badSetting, type LoadedConfig } from '../config/load.ts'
import { wanted } from '../messages/wanted.ts'
import { placesOfShell } from '../request/interpreter.ts'
import { answered, whereIs } from '../request/lookup.ts'
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
    workspace: named,
  }: {
    readonly cwd: string
    readonly env: Environment
    readonly caller: Environment
    readonly workspace: string | undefined
  },
): Promise<Reads> {
  const { reads, unreadable, program } = loaded.config.shell
  if (reads === 'everywhere' && unreadable.length === 0) return readEverything
  // Loaded late: most shells do not restrict reads.
  const { readsFor, tooMuch } = await import('../sandbox/reads/reads.ts')
  const { searched, workspace } = workspaceOf({ cwd, env: caller, named })
  const shells = placesOfShell(program)
  const path = tooMuch(await placesOf(unreadable.filter(isAbsolute)), workspace, shells)
  if (path !== undefined)
    throw await badSetting(loaded, 'shell.unreadable', wanted.unreadable(workspace), JSON.stringify(path))
  const writable = loaded.config.workspace.writable.map(realDirectory)
  return readsFor({ reads, unreadable, workspace, whole: searched, writable, shells, env })
}

/** By path; without those that are not known. */
async function placesOf(paths: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const places = new Map<string, string>()
  const look = async () => {
    for (const path of paths) {
      const found = await whereIs(path).catch(() => undefined) // no command gets there either
      if (found !== undefined) places.set(path, found)
    }
  }
  await answered(look).catch(() => {}) // the rest stays unknown
  return places
}
