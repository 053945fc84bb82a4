import { isAbsolute } from 'node:path'
import * as v from 'valibot'
import type { Approver } from '../admit/approver.ts'
import { type Backend, type Encoding, type Environment, type Mode, modes } from '../base/types.ts'
import type { LoadedConfig } from '../config/load.ts'
import type { NetworkSetting } from '../network/access.ts'
import { fieldOf, functionField, hasFields, integer, isString, oneOf, readFields } from '../request/fields.ts'
import { type ExecuteOptions, networkField, type OnOutput, programField } from '../request/request.ts'
import type { Scratchpad } from '../scratchpad/scratchpad.ts'

/** What `openShell` takes; unknown options are refused. */
export interface ShellOptions {
  /** Where commands run. Default: the current directory of the process. */
  readonly cwd?: string | undefined
  /** Run commands on this machine or in a container. Default: `[shell] backend`. */
  readonly backend?: Backend | undefined
  /** The shell that reads lines: `sh`, `bash`, or the path of one. Default: `[shell] program`. Not on Windows. */
  readonly program?: string | undefined
  /**
   * What workspace mode may change, and `[shell] reads = "workspace"` read. Default: the git repository of `cwd`, else `cwd`.
   */
  readonly workspace?: string | undefined
  /** `read`, `workspace` (docs/workspace.md) or `write`. Default: `[shell] mode`. */
  readonly mode?: Mode | undefined
  /**
   * Read and workspace mode: allow TCP and UDP clients, or TCP to the listed hosts (docs/network.md). Default: `[shell] network`.
   */
  readonly network?: NetworkSetting | undefined
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
  /** A config file in place of the user's, or a configuration that `loadConfig` made. Default: the user's file. */
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

/** Where a shell's commands run, and what their environments are selected from. `cwd` is absolute. */
export interface ShellPlace {
  readonly cwd: string
  readonly env: Environment
}

/** The options of a list of commands. */
export interface ExecuteAllOptions<E extends Encoding = 'utf8'> extends ExecuteOptions<E> {
  /** Go on after a command that fails. Default: false. */
  readonly ignoreErrors?: boolean | undefined
  /** Where all of them run. Default: the shell's directory. */
  readonly workDir?: string | undefined
  /** Milliseconds for each command. Default: `[shell] timeout_ms`. */
  readonly timeoutMs?: number | undefined
}

const shellSchema = v.partial(
  v.strictObject({
    cwd: fieldOf.string,
    workspace: fieldOf.string,
    backend: oneOf('local', 'docker'),
    addon: v.custom<string>((value) => isString(value) && isAbsolute(value), 'an absolute path'),
    mode: oneOf(...modes),
    program: programField,
    network: networkField,
    privateTmp: fieldOf.boolean,
    config: v.union(
      [fieldOf.string, v.custom<LoadedConfig>((value) => hasFields(value, 'config', 'sources'))],
      'the path of a file, or what loadConfig made',
    ),
    env: fieldOf.variables,
    approver: functionField<Approver>(),
    scratchpad: v.custom<Scratchpad>(
      (value) => hasFields(value, 'session', 'open', 'describe'),
      'a Scratchpad',
    ),
  }),
)

/** Throws INVALID_REQUEST unless it is a mode. */
export function checkMode(mode: unknown): void {
  readFields('mode', { mode }, modeSchema)
}

const modeSchema = v.strictObject({ mode: oneOf(...modes) })

const executeFields = {
  signal: fieldOf.signal,
  onOutput: functionField<OnOutput>(),
  save: fieldOf.boolean,
  /** In the unit of `[output] inline_max_chars`. */
  inlineMaxChars: integer(0, 67_108_864),
  encoding: oneOf('utf8', 'buffer'),
  hintFor: oneOf('user', 'tool', 'only-tool', 'only-command'),
}

const executeSchema = v.partial(v.strictObject(executeFields))

const listSchema = v.partial(
  v.strictObject({
    ...executeFields,
    ignoreErrors: fieldOf.boolean,
    workDir: fieldOf.string,
    timeoutMs: fieldOf.milliseconds,
  }),
)

/** A copy of a shell's options. Throws INVALID_REQUEST for an unknown option or one of the wrong type. */
export function readShellOptions(given: ShellOptions): ShellOptions {
  return readFields('options', given, shellSchema)
}

/** The same for the options of one command. */
export function readExecuteOptions(given: ExecuteOptions<Encoding>): ExecuteOptions<Encoding> {
  return readFields('options', given, executeSchema)
}

/** The same for the options of a list of commands. */
export function readListOptions<E extends Encoding>(given: ExecuteAllOptions<E>): ExecuteAllOptions<E> {
  const options: ExecuteAllOptions<Encoding> = readFields('options', given, listSchema)
  // Its encoding is the one that was given.
  return options as ExecuteAllOptions<E>
}
