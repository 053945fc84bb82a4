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

export interface ConfigArguments {
  readonly cwd: string | undefined
  readonly config: string | undefined
  readonly workspace: string | undefined
  readonly backend?: Backend | undefined
}

/** Loads the configuration with the command line's overrides. Throws CONFIG_INVALID, INVALID_REQUEST. */
export function loadConfigFor({ cwd, config, ...rest }: ConfigArguments): Promise<LoadedConfig> {
  const flags = flagsFor(rest)
  return loadConfig({ cwd: cwd ?? currentDirectory(), env: process.env, configFile: config, flags })
}

/** Command-line options that override the configuration. */
export interface ConfigOverrides extends Pick<ConfigArguments, 'workspace' | 'backend'> {
  readonly network?: boolean
  readonly privateTmp?: boolean
}

/** Converts them to configuration flags. Throws INVALID_REQUEST. */
export function flagsFor({ workspace, backend, network, privateTmp }: ConfigOverrides): Flags {
  // `--workspace "$UNSET"` must not mean "no workspace".
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

/** Like every path of a command line, relative to the current directory, whatever --cwd says. */
function fromHere(path: string): string {
  return path === '~' || path.startsWith('~/') ? path : absolutePath(path)
}

/** Reports settings of project files that are ignored. */
export async function sayIgnored({ ignored }: Pick<LoadedConfig, 'ignored'>): Promise<void> {
  for (const line of ignoredLines(ignored)) await standardError.write(prefixed(line))
}
