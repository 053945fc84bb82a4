import type { LoadedConfig } from '../config/load.ts'
import { type ProjectSettings, projectSettings } from '../config/project-settings.ts'
import { commandEnvironment } from '../request/environment.ts'
import { type Reads, readEverything } from '../sandbox/sandbox.ts'
import { type Equipment, equip, type Host } from './host.ts'
import { readsOf } from './readable.ts'
import type { ShellOptions, ShellPlace } from './shell-options.ts'
import { configuredInterpreter } from './shell-program.ts'
import { searchedFrom } from './workspace.ts'

export type BackendParts = Equipment & { readonly reads: Reads; readonly projectSettings: ProjectSettings }

export type BackendOptions = Pick<ShellOptions, 'network' | 'workspace'> & ShellPlace

/** For commands on this machine or in containers; no fallback. Throws SANDBOX_UNAVAILABLE, CONFIG_INVALID. */
export async function openBackend(
  host: Host,
  loaded: LoadedConfig,
  options: BackendOptions,
): Promise<BackendParts> {
  const { config } = loaded
  const { cwd, env, workspace } = options
  const searched = searchedFrom(cwd, workspace)
  if (config.shell.backend === 'docker') {
    const { network = config.shell.network } = options
    // Loaded late: few shells use containers.
    const { equipDocker } = await import('./docker.ts')
    const equipment = await equipDocker(host, { loaded, cwd, env, workspace, network: network === true })
    const interpreter = await configuredInterpreter(loaded, equipment, searched)
    return { ...equipment, interpreter, reads: readEverything, projectSettings: projectSettings(loaded) }
  }
  const equipment = await equip(host)
  const { place } = equipment
  const purpose = { mode: 'read', place, terminal: false } as const
  const commands = commandEnvironment(env, config.env, purpose)
  return {
    ...equipment,
    interpreter: await configuredInterpreter(loaded, equipment, searched),
    projectSettings: projectSettings(loaded),
    reads: await readsOf(loaded, {
      cwd,
      env: { ...env, ...commands },
      caller: env,
      workspace,
    }),
  }
}
