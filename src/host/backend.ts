import { basename, dirname, isAbsolute } from 'node:path'
import { isProjectDirectory } from '../base/paths.ts'
import { platform } from '../base/platform.ts'
import { realDirectory } from '../config/files.ts'
import type { LoadedConfig } from '../config/load.ts'
import { badSetting, type ProjectSettings, projectSettings } from '../config/origin.ts'
import type { Config } from '../config/schema.ts'
import { commandEnvironment, type HostPlace } from '../request/environment.ts'
import { alternatives, refuseValue } from '../request/fields.ts'
import { type Interpreter, isDash, placesOfShell } from '../request/interpreter.ts'
import { answered, statusOf, whereIs } from '../request/lookup.ts'
import { type Reads, readEverything } from '../sandbox/sandbox.ts'
import { type Equipment, equip, type Host } from './host.ts'
import type { ShellOptions, ShellPlace } from './shell-options.ts'
import { searchedFrom, workspaceOf } from './workspace.ts'

export type BackendParts = Equipment & { readonly reads: Reads; readonly projectSettings: ProjectSettings }

type BackendOptions = Pick<ShellOptions, 'network' | 'workspace'> & ShellPlace

/** For commands on this machine or in containers; no fallback. Throws SANDBOX_UNAVAILABLE, CONFIG_INVALID. */
export async function openBackend(
  host: Host,
  loaded: LoadedConfig,
  options: BackendOptions,
): Promise<BackendParts> {
  const { shell } = loaded.config
  const { cwd, env, workspace, network = shell.network } = options
  const searched = searchedFrom(cwd, workspace)
  const isLocal = shell.backend === 'local'
  const equipment = isLocal
    ? await equip(host)
    : // Loaded late: few shells use containers.
      await (await import('./docker.ts')).equipDocker(host, {
        loaded,
        cwd,
        env,
        workspace,
        network: network === true,
      })
  const interpreter = await configuredInterpreter(loaded, equipment, searched)
  const reads = isLocal ? await readsOf(loaded, options, equipment.place) : readEverything
  return { ...equipment, interpreter, reads, projectSettings: projectSettings(loaded) }
}

/** What commands may read. Throws CONFIG_INVALID if none could start. */
async function readsOf(
  loaded: LoadedConfig,
  { cwd, env, workspace: named }: BackendOptions,
  place: HostPlace,
): Promise<Reads> {
  const { reads, unreadable, program } = loaded.config.shell
  if (reads === 'everywhere' && unreadable.length === 0) return readEverything
  // Loaded late: most shells do not restrict reads.
  const { readsFor, tooMuch } = await import('../sandbox/reads/reads.ts')
  const { searched: whole, workspace } = workspaceOf({ cwd, env, named })
  const shells = placesOfShell(program)
  const path = tooMuch(await placesOf(unreadable.filter(isAbsolute)), workspace, shells)
  if (path !== undefined)
    throw await badSetting(
      loaded,
      'shell.unreadable',
      `paths that hold neither the workspace (${workspace}) nor /bin/sh`,
      JSON.stringify(path),
    )
  const writable = loaded.config.workspace.writable.map(realDirectory)
  const ofCommands = commandEnvironment(env, loaded.config.env, { mode: 'read', place, terminal: false })
  return readsFor({ reads, unreadable, workspace, whole, writable, shells, env: { ...env, ...ofCommands } })
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

/** The shell that reads lines, as a model is told: `bash`, or `sh (dash)`. Without a configuration the default. */
export function shellNamed(config: Pick<Config, 'shell'> | undefined): string {
  if (platform === 'windows') return 'PowerShell'
  const { program, backend } = config?.shell ?? { program: 'sh', backend: 'local' }
  const name = basename(program)
  return name === 'sh' && backend === 'local' && isDash(program) ? 'sh (dash)' : name
}

type Reading = Pick<Equipment, 'place' | 'interpreter' | 'interpreterFor'>

/** What reads lines: `[shell] program`. Throws CONFIG_INVALID where it cannot. */
async function configuredInterpreter(
  loaded: LoadedConfig,
  equipment: Reading,
  workspace: string,
): Promise<Interpreter> {
  const { program } = loaded.config.shell
  if (program === 'sh') return equipment.interpreter
  const wrong = await whatIsWrong(program, equipment, workspace)
  if (wrong) throw await badSetting(loaded, 'shell.program', wrong.wanted, wrong.got)
  return equipment.interpreterFor(program)
}

/** The same for a program that one request names. Throws INVALID_REQUEST. */
export async function checkProgram(program: string, equipment: Reading, workspace: string): Promise<void> {
  const wrong = await whatIsWrong(program, equipment, workspace)
  if (wrong) refuseValue('program', wrong.wanted, wrong.got)
}

interface Wrong {
  readonly wanted: string
  readonly got: string
}

/** In a container only the start tells. A shell in a project would run there what the project's commands wrote. */
async function whatIsWrong(
  program: string,
  { place }: Reading,
  workspace: string,
): Promise<Wrong | undefined> {
  const got = JSON.stringify(program)
  if (place === 'windows') return { wanted: '"sh", which stands for PowerShell on Windows', got }
  if (place === 'container') return undefined
  const places = placesOfShell(program)
  const path = await firstOf(places)
  if (path === undefined)
    return {
      wanted: '"sh", or a shell that is installed',
      got: `${got} (there is no ${alternatives(places)})`,
    }
  const real = await answered(() => whereIs(path)).catch(() => path) // it has just been found there
  const isOfProject = [path, real].some((name) => isProjectDirectory(dirname(name), [workspace]))
  return isOfProject
    ? { wanted: `a shell outside of the workspace (${workspace}), whose files commands write`, got }
    : undefined
}

async function firstOf(places: readonly string[]): Promise<string | undefined> {
  for (const place of places) if (await answered(() => statusOf(place)).catch(() => undefined)) return place // silent: as if it were not there
  return undefined
}
