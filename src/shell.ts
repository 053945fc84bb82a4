import { type IgnoredValue, type LoadedConfig, loadConfig } from './config/load.ts'
import type { Config } from './config/schema.ts'
import { refuseUnbuilt } from './config/unbuilt.ts'
import { VitrineError } from './errors.ts'
import { type Host, thisHost } from './host.ts'
import type { Launcher } from './launch/launch.ts'
import { nativeLauncher } from './launch/native.ts'
import { checkInput } from './request/descriptor.ts'
import { commandEnvironment } from './request/environment.ts'
import { checkFields, type Field, isBoolean, isObject, isString, refuse } from './request/fields.ts'
import { checkDirectory, completeRequest, type ExecuteRequest } from './request/request.ts'
import type { Decision, Enforcement, Mode, Result } from './result/result.ts'
import {
  type CommandToRun,
  type ExecuteOptions,
  type ModeSetup,
  runCommand,
  type Surroundings,
} from './run.ts'
import type { Sandbox } from './sandbox/sandbox.ts'
import { selectSandbox } from './sandbox/select.ts'
import { checkScratchpadName, Scratchpad } from './scratchpad/scratchpad.ts'
import type { Supervision } from './supervise/supervise.ts'

export interface ShellOptions {
  /** Where commands run. Default: the current directory of the process. */
  readonly cwd?: string | undefined
  /** Default: `[shell] mode`. */
  readonly mode?: Mode | undefined
  /** Read mode: let TCP and UDP clients through. Default: `[shell] network`. */
  readonly network?: boolean | undefined
  /** A config file in place of the user's, or a configuration that `loadConfig` made. */
  readonly config?: string | LoadedConfig | undefined
  /** What commands' environments are chosen from, taken when the shell opens. Default: the environment of the process. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
  /** Where output is kept: another shell's, to share its names. Default: a session of its own. */
  readonly scratchpad?: Scratchpad | undefined
}

const allowed: Readonly<Record<Mode, Decision>> = {
  read: { verdict: 'allow', reason: 'read mode: the operating system holds the command', matches: [] },
  write: { verdict: 'allow', reason: 'write mode: the caller is the approver', matches: [] },
}

const optionFields: Readonly<Record<keyof ShellOptions, Field>> = {
  cwd: { wanted: 'a string', test: isString },
  mode: { wanted: '"read" or "write"', test: isString },
  network: { wanted: 'a boolean', test: isBoolean },
  config: {
    wanted: 'the path of a file, or what loadConfig made',
    test: (value) => isString(value) || isObject(value),
  },
  env: { wanted: 'an object of variables', test: isObject },
  scratchpad: { wanted: 'a Scratchpad', test: (value) => value instanceof Scratchpad },
}

function checkMode(mode: string): asserts mode is Mode {
  if (mode === 'read' || mode === 'write') return
  refuse({ kind: 'out-of-range', field: 'mode', wanted: '"read" or "write"', got: JSON.stringify(mode) })
}

/**
 * Opens a shell: loads the configuration, looks at what this host can enforce, and refuses what it cannot.
 * Throws CONFIG_INVALID, INVALID_REQUEST (the directory), SANDBOX_UNAVAILABLE.
 */
export async function openShell(options: ShellOptions = {}): Promise<Shell> {
  return openShellOn(thisHost(), options)
}

/** The same on a given host; tests take parts of it away. */
export async function openShellOn(host: Host, options: ShellOptions = {}): Promise<Shell> {
  checkFields('options', options, optionFields)
  if (options.mode !== undefined) checkMode(options.mode)
  const env = options.env ?? process.env
  const cwd = options.cwd ?? process.cwd()
  checkDirectory(cwd)
  const loaded =
    typeof options.config === 'object'
      ? options.config
      : await loadConfig({ cwd, env, configFile: options.config })
  refuseUnbuilt(loaded)
  const { addon, platform, probe } = host
  const missing = 'missing' in addon ? addon.missing : undefined
  const watch = () => ('missing' in addon ? 0 : addon.watch())
  const sandbox = selectSandbox({
    platform,
    ...(probe && { probe }),
    ...(missing === undefined ? {} : { missing }),
    watch,
  })
  const launcher = 'missing' in addon ? await addonlessLauncher() : sharedLauncher(addon)
  return new Shell(loaded, sandbox, launcher, { ...options, cwd, env })
}

/** Imported late: no start with an addon needs it. */
async function addonlessLauncher(): Promise<Launcher> {
  const { execaLauncher } = await import('./launch/execa.ts')
  return execaLauncher()
}

/** One launcher per environment: the addon has one listener. */
const launchers = new WeakMap<object, Launcher>()

function sharedLauncher(addon: Parameters<typeof nativeLauncher>[0]): Launcher {
  const launcher = launchers.get(addon) ?? nativeLauncher(addon)
  launchers.set(addon, launcher)
  return launcher
}

/** A place to run commands in: one directory, one configuration, one mode at a time. */
export class Shell {
  readonly cwd: string
  readonly config: Config
  /** The saved outputs of this shell's session. */
  readonly scratchpad: Scratchpad
  /** Values of project files that do not count, because they would loosen what the user has set. */
  readonly ignored: readonly IgnoredValue[]
  readonly #sandbox: Sandbox
  readonly #launcher: Launcher
  readonly #network: boolean
  readonly #env: Readonly<Record<string, string | undefined>>
  readonly #running = new Set<Supervision>()
  readonly #setups: Partial<Record<Mode, ModeSetup>> = {}
  #mode: Mode
  #closed = false

  /** Use `openShell`. */
  constructor(
    { config, ignored }: LoadedConfig,
    sandbox: Sandbox,
    launcher: Launcher,
    options: ShellOptions & Required<Pick<ShellOptions, 'cwd' | 'env'>>,
  ) {
    this.config = config
    this.ignored = ignored
    this.cwd = options.cwd ?? process.cwd()
    this.#sandbox = sandbox
    this.#launcher = launcher
    this.#network = options.network ?? config.shell.network
    this.#env = { ...options.env }
    const { max_age_days: maxAgeDays, max_bytes: maxBytes } = config.scratchpad
    this.scratchpad = options.scratchpad ?? new Scratchpad(this.#env, { maxAgeDays, maxBytes })
    this.#mode = options.mode ?? config.shell.mode
    if (this.#mode === 'read' && config.shell.sandbox) this.#setup('read')
  }

  /** `read` or `write`; what is set holds for the next command. Setting `read` throws SANDBOX_UNAVAILABLE where it cannot be enforced. */
  get mode(): Mode {
    return this.#mode
  }

  set mode(mode: Mode) {
    checkMode(mode)
    if (mode === 'read' && this.config.shell.sandbox) this.#setup('read')
    this.#mode = mode
  }

  /** Per right of the host: enforced or not in the current mode. */
  get enforcement(): Enforcement {
    return this.#setup(this.#mode).enforcement
  }

  /**
   * Runs one command to its end. A non-zero exit is a result. Throws only when the command never ran:
   * INVALID_REQUEST, WRITE_MODE_REQUIRED, SANDBOX_UNAVAILABLE, SPAWN_FAILED.
   */
  async execute(request: ExecuteRequest, options: ExecuteOptions = {}): Promise<Result> {
    options.signal?.throwIfAborted()
    const { shell } = this.config
    if (this.#closed) throw new VitrineError({ code: 'INVALID_REQUEST', problem: { kind: 'shell-closed' } })
    const complete = completeRequest(request, {
      cwd: this.cwd,
      timeoutMs: shell.timeout_ms,
      maxTimeoutMs: shell.max_timeout_ms,
    })
    if (complete.scratchpad !== undefined) checkScratchpadName(complete.scratchpad)
    const mode = this.#mode
    if (mode === 'read' && typeof complete.stdin === 'number') checkInput(complete.stdin)
    const setup = this.#setup(mode)
    const command: CommandToRun = { request: complete, mode, setup, decision: allowed[mode] }
    return runCommand(command, this.#surroundings, options)
  }

  /** Sends a signal to the process group of every command that runs. */
  signal(name: NodeJS.Signals): void {
    for (const supervision of this.#running) supervision.signal(name)
  }

  /** Kills what still runs and waits for its end. Background children of write mode live on. */
  async close(): Promise<void> {
    this.#closed = true
    const running = [...this.#running]
    for (const supervision of running) supervision.stop('closed')
    await Promise.all(running.map((supervision) => supervision.ended))
  }

  get #surroundings(): Surroundings {
    return {
      config: this.config,
      launcher: this.#launcher,
      scratchpad: this.scratchpad,
      running: this.#running,
    }
  }

  /** What holds a command in this mode. There is no way from read mode to a setup without confinement. */
  #setup(mode: Mode): ModeSetup {
    const known = this.#setups[mode]
    if (known) return known
    if (mode === 'read' && !this.config.shell.sandbox) throw new VitrineError({ code: 'WRITE_MODE_REQUIRED' })
    const options = { network: this.#network }
    const setup: ModeSetup = {
      environment: commandEnvironment(this.#env, this.config.env, mode),
      confinement: mode === 'write' ? null : this.#sandbox.confine(options),
      enforcement: mode === 'write' ? {} : this.#sandbox.enforcement(options),
    }
    this.#setups[mode] = setup
    return setup
  }
}
