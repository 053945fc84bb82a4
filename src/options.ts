import type { Approver } from './approval/approver.ts'
import type { LoadedConfig } from './config/load.ts'
import { checkFields, type Field, isBoolean, isObject, isString, refuse } from './request/fields.ts'
import type { Backend, Mode } from './result/result.ts'
import type { ExecuteOptions } from './run.ts'
import { Scratchpad } from './scratchpad/scratchpad.ts'

export interface ShellOptions {
  /** Where commands run. Default: the current directory of the process. */
  readonly cwd?: string | undefined
  /** Where commands run: on this machine, or in a container. Default: `[shell] backend`. */
  readonly backend?: Backend | undefined
  /** Default: `[shell] mode`. */
  readonly mode?: Mode | undefined
  /** Read mode: let TCP and UDP clients through. Default: `[shell] network`. */
  readonly network?: boolean | undefined
  /** Read mode: each command gets a TMPDIR of its own that it can write to. Default: `[shell] private_tmp`. */
  readonly privateTmp?: boolean | undefined
  /** A config file in place of the user's, or a configuration that `loadConfig` made. */
  readonly config?: string | LoadedConfig | undefined
  /** What commands' environments are chosen from, taken when the shell opens. Default: the environment of the process. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
  /** Asked about what the policy leaves open. Default: none; then `[policy] unattended` says what becomes of it. */
  readonly approver?: Approver | undefined
  /** Where output is kept: another shell's, to share its names. Default: a session of its own. */
  readonly scratchpad?: Scratchpad | undefined
}

export interface ExecuteAllOptions extends ExecuteOptions {
  /** Default false: the first command that fails is the last one. */
  readonly ignoreErrors?: boolean | undefined
  /** Where all of them run. Default: the shell's directory. */
  readonly workDir?: string | undefined
  /** For each, in milliseconds. */
  readonly timeoutMs?: number | undefined
}

const optionFields: Readonly<Record<keyof ShellOptions, Field>> = {
  cwd: { wanted: 'a string', test: isString },
  backend: { wanted: '"local" or "docker"', test: (value) => value === 'local' || value === 'docker' },
  mode: { wanted: '"read" or "write"', test: isString },
  network: { wanted: 'a boolean', test: isBoolean },
  privateTmp: { wanted: 'a boolean', test: isBoolean },
  config: {
    wanted: 'the path of a file, or what loadConfig made',
    test: (value) => isString(value) || isObject(value),
  },
  env: { wanted: 'an object of variables', test: isObject },
  approver: { wanted: 'a function', test: (value) => typeof value === 'function' },
  scratchpad: { wanted: 'a Scratchpad', test: (value) => value instanceof Scratchpad },
}

/** Throws INVALID_REQUEST unless it is a mode. */
export function checkMode(mode: string): asserts mode is Mode {
  if (mode === 'read' || mode === 'write') return
  refuse({ kind: 'out-of-range', field: 'mode', wanted: '"read" or "write"', got: JSON.stringify(mode) })
}

/** Throws INVALID_REQUEST for an option that there is not, or that is of the wrong kind. */
export function checkOptions(options: ShellOptions): void {
  checkFields('options', options, optionFields)
  if (options.mode !== undefined) checkMode(options.mode)
}
