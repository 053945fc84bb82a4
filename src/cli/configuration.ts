import {
  absolutePath,
  type Backend,
  currentDirectory,
  type Flags,
  type LoadedConfig,
  loadConfig,
} from '../internal.ts'
import { ignoredLines, prefixed, valueMissing } from '../messages/cli/run.ts'
import { misuse } from './options.ts'
import { standardError } from './run/sink.ts'

/** What a command line says about the configuration. */
export interface Given {
  readonly cwd: string | undefined
  readonly config: string | undefined
  readonly workspace: string | undefined
  readonly backend?: Backend | undefined
}

/** The configuration with what the command line changes in it. Throws CONFIG_INVALID, INVALID_REQUEST. */
export function loadGiven({ cwd, config, ...rest }: Given): Promise<LoadedConfig> {
  const flags = flagsFor(rest)
  return loadConfig({ cwd: cwd ?? currentDirectory(), env: process.env, configFile: config, flags })
}

/** What options of the command line say in place of the configuration. */
export interface Instead extends Pick<Given, 'workspace' | 'backend'> {
  readonly network?: boolean
  readonly privateTmp?: boolean
}

/** The same for the configuration. Throws INVALID_REQUEST. */
export function flagsFor({ workspace, backend, network, privateTmp }: Instead): Flags {
  // `--workspace "$UNSET"` must not mean that there is none.
  if (workspace === '') throw misuse(valueMissing('--workspace'))
  return {
    ...(workspace !== undefined && {
      'policy.workspace': { value: fromHere(workspace), from: '--workspace' },
    }),
    ...(backend && { 'shell.backend': { value: backend, from: '--backend' } }),
    ...(network && { 'shell.network': { value: true, from: '--network' } }),
    ...(privateTmp && { 'shell.private_tmp': { value: true, from: '--private-tmp' } }),
  }
}

/** As every path of a command line: from the current directory, whatever --cwd says. */
function fromHere(path: string): string {
  return path === '~' || path.startsWith('~/') ? path : absolutePath(path)
}

/** Says what of project files does not count. */
export async function sayIgnored({ ignored }: Pick<LoadedConfig, 'ignored'>): Promise<void> {
  for (const line of ignoredLines(ignored)) await standardError.write(prefixed(line))
}
