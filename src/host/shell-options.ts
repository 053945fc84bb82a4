import { isAbsolute } from 'node:path'
import type { Approver } from '../admit/approval/approver.ts'
import { type Backend, type Encoding, type Environment, type Mode, modes } from '../base/types.ts'
import type { LoadedConfig } from '../config/load.ts'
import type { ExecuteOptions } from '../request/execute-options.ts'
import {
  checkNoNul,
  type FieldRules,
  isBoolean,
  isFunction,
  isNumber,
  isObject,
  isString,
  kindOf,
  readFields,
  readVariablesField,
  refuseValue,
} from '../request/fields.ts'
import type { Scratchpad } from '../scratchpad/scratchpad.ts'

const wantedMode = modes.map((mode) => JSON.stringify(mode)).join(' or ')

export interface ShellOptions {
  /** Where commands run. Default: the current directory of the process. */
  readonly cwd?: string | undefined
  /** Run commands on this machine or in a container. Default: `[shell] backend`. */
  readonly backend?: Backend | undefined
  /** `read`, `workspace` (docs/workspace.md) or `write`. Default: `[shell] mode`. */
  readonly mode?: Mode | undefined
  /** Read and workspace mode: allow TCP and UDP clients. Default: `[shell] network`. */
  readonly network?: boolean | undefined
  /**
   * Read mode: give each command a writable TMPDIR of its own. Default: `[shell] private_tmp`. A command of workspace mode has
   * one unless its request says `privateTmp: false`.
   */
  readonly privateTmp?: boolean | undefined
  /**
   * Absolute path of the native addon, for a bundle that is not beside the package: `vitrine.node` of
   * `node_modules/vitrine/prebuilds/PLATFORM-ARCH`. Default: `VITRINE_ADDON`, else the package's own.
   */
  readonly addon?: string | undefined
  /** A config file in place of the user's, or a configuration that `loadConfig` made. */
  readonly config?: string | LoadedConfig | undefined
  /**
   * The variables that commands' environments are selected from, copied when the shell opens. Default:
   * `process.env`.
   */
  readonly env?: Environment | undefined
  /** Answers what the policy leaves open. Default: none; `[policy] unattended` then decides. */
  readonly approver?: Approver | undefined
  /** Where output is kept; pass another shell's to share its names. Default: a session of its own. */
  readonly scratchpad?: Scratchpad | undefined
}

export interface ExecuteAllOptions<E extends Encoding = 'utf8'> extends ExecuteOptions<E> {
  /** Default false: stop after the first command that fails. */
  readonly ignoreErrors?: boolean | undefined
  /** Where all of them run. Default: the shell's directory. */
  readonly workDir?: string | undefined
  /** For each command, in milliseconds. */
  readonly timeoutMs?: number | undefined
}

const shellFields: FieldRules<ShellOptions> = {
  cwd: { wanted: 'a string', test: isString },
  backend: { wanted: '"local" or "docker"', test: (value) => value === 'local' || value === 'docker' },
  addon: { wanted: 'an absolute path', test: (value) => isString(value) && isAbsolute(value) },
  mode: { wanted: wantedMode, test: isString },
  network: { wanted: 'a boolean', test: isBoolean },
  privateTmp: { wanted: 'a boolean', test: isBoolean },
  config: {
    wanted: 'the path of a file, or what loadConfig made',
    test: (value) => isString(value) || (isObject(value) && 'config' in value && 'sources' in value),
  },
  env: { wanted: 'an object of variables', test: (value) => isObject(value) && !Array.isArray(value) },
  approver: { wanted: 'a function', test: isFunction },
  scratchpad: { wanted: 'a Scratchpad', test: isScratchpad },
}

/** Throws INVALID_REQUEST unless it is a mode. */
export function checkMode(mode: unknown): asserts mode is Mode {
  if (modes.some((known) => known === mode)) return
  refuseValue('mode', wantedMode, kindOf(mode))
}

/** In the unit of `[output] inline_max_chars`. */
const maxInlineChars = 67_108_864

const executeFields: FieldRules<ExecuteOptions<Encoding>> = {
  signal: { wanted: 'an AbortSignal', test: isAbortSignal },
  onOutput: { wanted: 'a function', test: isFunction },
  save: { wanted: 'a boolean', test: isBoolean },
  inlineMaxChars: {
    wanted: `a whole number of characters from 0 to ${maxInlineChars}`,
    test: (value) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= maxInlineChars,
  },
  encoding: { wanted: '"utf8" or "buffer"', test: (value) => value === 'utf8' || value === 'buffer' },
  hintFor: { wanted: '"user" or "tool"', test: (value) => value === 'user' || value === 'tool' },
  line: { wanted: 'an object with onState', test: isLineOptions },
}

const listFields: FieldRules<ExecuteAllOptions<Encoding>> = {
  ...executeFields,
  ignoreErrors: { wanted: 'a boolean', test: isBoolean },
  workDir: { wanted: 'a string', test: isString },
  timeoutMs: { wanted: 'a number of milliseconds', test: isNumber },
}

/** A copy of a shell's options. Throws INVALID_REQUEST for an unknown option or one of the wrong type. */
export function readShellOptions(given: ShellOptions): ShellOptions {
  const options = readFields('options', given, shellFields)
  if (options.mode !== undefined) checkMode(options.mode)
  checkNoNul('cwd', options.cwd)
  if (isString(options.config)) checkNoNul('config', options.config)
  return options.env ? { ...options, env: readVariablesField('env', options.env) } : options
}

/** The same for the options of one command. */
export function readExecuteOptions(given: ExecuteOptions<Encoding>): ExecuteOptions<Encoding> {
  return readFields('options', given, executeFields)
}

/** The same for the options of a list of commands. */
export function readListOptions<E extends Encoding>(given: ExecuteAllOptions<E>): ExecuteAllOptions<E> {
  return readFields('options', given, listFields)
}

function isScratchpad(value: unknown): boolean {
  return isObject(value) && 'session' in value && 'open' in value && 'describe' in value
}

function isLineOptions(value: unknown): boolean {
  return isObject(value) && 'onState' in value && isFunction(value.onState)
}

function isAbortSignal(value: unknown): boolean {
  return isObject(value) && 'aborted' in value && 'throwIfAborted' in value && 'addEventListener' in value
}
