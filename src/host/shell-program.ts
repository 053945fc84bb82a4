import { basename, dirname } from 'node:path'
import { platform } from '../base/platform.ts'
import { isProjectDirectory } from '../base/program-path.ts'
import { badSetting, type LoadedConfig } from '../config/load.ts'
import type { Config } from '../config/schema.ts'
import { Lookup } from '../facts/lookup.ts'
import { found, wanted } from '../messages/wanted.ts'
import { refuseValue } from '../request/fields.ts'
import { type Interpreter, isDash, placesOfShell } from '../request/interpreter.ts'
import type { Invocation } from '../request/request.ts'
import type { Equipment } from './host.ts'
import { searchedFrom } from './workspace.ts'

/** The shell that reads lines, as a model is told: `bash`, or `sh (dash)`. Without a configuration the default. */
export function shellNamed(config: Pick<Config, 'shell'> | undefined): string {
  if (platform === 'windows') return 'PowerShell'
  const { program, backend } = config?.shell ?? { program: 'sh', backend: 'local' }
  const name = basename(program)
  return name === 'sh' && backend === 'local' && isDash(program) ? 'sh (dash)' : name
}

type Reading = Pick<Equipment, 'place' | 'pathLookup' | 'interpreter' | 'interpreterFor'>

/** What reads lines: `[shell] program`. Throws CONFIG_INVALID where it cannot. */
export async function configuredInterpreter(
  loaded: LoadedConfig,
  equipment: Reading,
  cwd: string,
): Promise<Interpreter> {
  const { program } = loaded.config.shell
  if (program === 'sh') return equipment.interpreter
  const wrong = await whatIsWrong(program, equipment, searchedFrom(loaded, cwd))
  if (wrong) throw await badSetting(loaded, 'shell.program', wrong.wanted, wrong.got)
  return equipment.interpreterFor(program)
}

/** The same for a program that one request names. Throws INVALID_REQUEST. */
export async function checkProgram(
  work: Invocation,
  equipment: Reading,
  workspace: () => string,
): Promise<void> {
  if (work.kind !== 'line' || work.program === undefined) return
  const wrong = await whatIsWrong(work.program, equipment, workspace())
  if (wrong) refuseValue('program', wrong.wanted, wrong.got)
}

interface Wrong {
  readonly wanted: string
  readonly got: string
}

/** In a container only the start tells. A shell in a project would run there what the project's commands wrote. */
async function whatIsWrong(
  program: string,
  { place, pathLookup }: Reading,
  workspace: string,
): Promise<Wrong | undefined> {
  if (place === 'windows') return { wanted: wanted.onlyPowershell, got: JSON.stringify(program) }
  if (place === 'container') return undefined
  const lookup = new Lookup(pathLookup)
  const places = placesOfShell(program)
  const answers = await lookup.ask(places.map((path) => ({ kind: 'exists', path })))
  const path = places.find((_, at) => 'found' in (answers[at] ?? {}))
  if (path === undefined) return { wanted: wanted.installedShell, got: found.noShell(program, places) }
  const real = (await lookup.where([path])).get(path) ?? path
  const isOfProject = [path, real].some((name) => isProjectDirectory(dirname(name), [workspace]))
  return isOfProject ? { wanted: wanted.shellOutside(workspace), got: JSON.stringify(program) } : undefined
}
