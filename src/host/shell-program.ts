import { basename, dirname } from 'node:path'
import { isProjectDirectory } from '../base/paths.ts'
import { platform } from '../base/platform.ts'
import { badSetting, type LoadedConfig } from '../config/load.ts'
import type { Config } from '../config/schema.ts'
import { found, wanted } from '../messages/wanted.ts'
import { refuseValue } from '../request/fields.ts'
import { type Interpreter, isDash, placesOfShell } from '../request/interpreter.ts'
import { answered, statusOf, whereIs } from '../request/lookup.ts'
import type { Equipment } from './host.ts'

/** The shell that reads lines, as a model is told: `bash`, or `sh (dash)`. Without a configuration the default. */
export function shellNamed(config: Pick<Config, 'shell'> | undefined): string {
  if (platform === 'windows') return 'PowerShell'
  const { program, backend } = config?.shell ?? { program: 'sh', backend: 'local' }
  const name = basename(program)
  return name === 'sh' && backend === 'local' && isDash(program) ? 'sh (dash)' : name
}

type Reading = Pick<Equipment, 'place' | 'interpreter' | 'interpreterFor'>

/** What reads lines: `[shell] program`. Throws CONFIG_INVALID where it cannot. */
export async function configuredInterpreter(
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
  if (place === 'windows') return { wanted: wanted.onlyPowershell, got: JSON.stringify(program) }
  if (place === 'container') return undefined
  const places = placesOfShell(program)
  const path = await firstOf(places)
  if (path === undefined) return { wanted: wanted.installedShell, got: found.noShell(program, places) }
  const real = await answered(() => whereIs(path)).catch(() => path) // it has just been found there
  const isOfProject = [path, real].some((name) => isProjectDirectory(dirname(name), [workspace]))
  return isOfProject ? { wanted: wanted.shellOutside(workspace), got: JSON.stringify(program) } : undefined
}

async function firstOf(places: readonly string[]): Promise<string | undefined> {
  for (const place of places) if (await answered(() => statusOf(place)).catch(() => undefined)) return place // silent: as if it were not there
  return undefined
}
