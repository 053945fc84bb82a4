import { Admission } from './admit/admission.ts'
import type { StandingApproval } from './admit/approval/approve.ts'
import { openRecorder, type RecordedCommand, type Recorder } from './audit/open.ts'
import type { Decision, Encoding, Enforcement, Environment, Mode, OutputIn, Result } from './base/types.ts'
import { checkBackend } from './config/backend.ts'
import type { IgnoredValue, LoadedConfig } from './config/load.ts'
import type { Config } from './config/schema.ts'
import { type BackendParts, openBackend } from './host/backend.ts'
import { type Host, pathLookupOf, thisHost } from './host/host.ts'
import { configOf } from './host/load-config.ts'
import { knownEnvironments, privateTmpOf, Setups } from './host/mode-setup.ts'
import {
  checkMode,
  type ExecuteAllOptions,
  readExecuteOptions,
  readListOptions,
  readShellOptions,
  type ShellOptions,
} from './host/shell-options.ts'
import { checkLimits } from './launch/limits.ts'
import { ListenerError, VitrineError, withResults } from './messages/error.ts'
import { absolutePath } from './request/current-directory.ts'
import { checkInput } from './request/descriptor.ts'
import type { ExecuteOptions } from './request/execute-options.ts'
import {
  type CompleteRequest,
  completeRequest,
  type ExecuteRequest,
  type RequestCompleter,
  readList,
} from './request/request.ts'
import { checkSignal } from './request/signal.ts'
import { completeStart, type StartRequest } from './request/terminal.ts'
import { Listener } from './run/listener.ts'
import { type Pty, startCommand } from './run/pty.ts'
import { type RunContext, type RunOptions, runCommand } from './run/run.ts'
import type { Supervision } from './run/supervise.ts'
import { checkScratchpadName, Scratchpad } from './scratchpad/scratchpad.ts'

/**
 * Opens a shell: loads the configuration, probes what this host can enforce, and refuses what it cannot.
 * Throws CONFIG_INVALID, INVALID_REQUEST (the directory), SANDBOX_UNAVAILABLE.
 */
export async function openShell(options: ShellOptions = {}): Promise<Shell> {
  const read = readShellOptions(options)
  return openOn(thisHost(read.addon), read)
}

/** Like `openShell`, on a given host: tests take parts of it away. */
export async function openShellOn(host: Host, options: ShellOptions = {}): Promise<Shell> {
  return openOn(host, readShellOptions(options))
}

async function openOn(host: Host, options: ShellOptions): Promise<Shell> {
  const env = options.env ?? process.env
  const cwd = absolutePath(options.cwd ?? '.')
  const loaded = await configOf(options, { cwd, env }, await pathLookupOf(host))
  checkBackend(loaded)
  const backend = await openBackend(host, loaded, { ...options, cwd, env })
  const admission = new Admission({ loaded, cwd, env, ...backend, approver: options.approver })
  await admission.ready()
  const equipment = { ...backend, recorder: await openRecorder(host, loaded, { cwd, env }) }
  return new Shell(loaded, admission, equipment, { ...options, cwd, env })
}

type ShellEquipment = BackendParts & { readonly recorder: Recorder | undefined }

/** Runs commands with one directory, one configuration, and one mode at a time. */
export class Shell {
  readonly cwd: string
  readonly config: Config
  /** The saved outputs of this shell's session. */
  readonly scratchpad: Scratchpad
  /** Values of project files that are ignored, because they would loosen the user's settings. */
  readonly ignored: readonly IgnoredValue[]
  readonly #equipment: ShellEquipment
  readonly #admission: Admission
  readonly #running = new Set<Supervision>()
  readonly #removing = new Set<Promise<unknown>>()
  readonly #setups: Setups
  readonly #env: Environment
  #mode: Mode
  #closed = false

  /** Use `openShell`. */
  constructor(
    loaded: LoadedConfig,
    admission: Admission,
    equipment: ShellEquipment,
    options: ShellOptions & Required<Pick<ShellOptions, 'cwd' | 'env'>>,
  ) {
    const { config } = loaded
    this.config = config
    this.ignored = loaded.ignored
    this.cwd = options.cwd ?? '.'
    this.#admission = admission
    this.#equipment = equipment
    this.#env = { ...options.env }
    this.#setups = new Setups({
      config,
      equipment,
      reads: equipment.reads,
      network: options.network ?? config.shell.network,
      privateTmp: options.privateTmp ?? privateTmpOf(loaded, equipment.sandbox),
      env: this.#env,
    })
    const { max_age_days: maxAgeDays, max_bytes: maxBytes } = config.scratchpad
    this.scratchpad = options.scratchpad ?? new Scratchpad(this.#env, { maxAgeDays, maxBytes })
    this.#mode = options.mode ?? config.shell.mode
    checkLimits(config.limits, equipment.launcher.limits)
    if (this.#mode === 'read' && config.shell.sandbox) this.#setups.in('read')
  }

  /** Applies to the next command. `read` throws SANDBOX_UNAVAILABLE where it cannot be enforced. */
  get mode(): Mode {
    return this.#mode
  }

  set mode(mode: Mode) {
    checkMode(mode)
    if (mode === 'read' && this.config.shell.sandbox) this.#setups.in('read')
    this.#mode = mode
  }

  /** Per right of the host: enforced or not in the current mode. */
  get enforcement(): Enforcement {
    return this.#setups.in(this.#mode).enforcement
  }

  /** The policy's decision about a command. Nothing runs. */
  async decide(request: ExecuteRequest): Promise<Decision> {
    const { work, cwd, env } = this.#complete(request, completeRequest)
    const mode = this.#mode
    const environments = mode === 'write' ? knownEnvironments(this.#setups.in(mode)) : undefined
    return this.#admission.decide({ work, cwd, env, mode, environments })
  }

  /**
   * Runs one command to its end. A non-zero exit is a result. Throws a `VitrineError` when the command never
   * ran: INVALID_REQUEST, DENIED, NOT_APPROVED, WRITE_MODE_REQUIRED, SANDBOX_UNAVAILABLE, SPAWN_FAILED,
   * AUDIT_FAILED; and a `ListenerError` when `onOutput` failed while it ran.
   */
  async execute<E extends Encoding = 'utf8'>(
    request: ExecuteRequest,
    options: ExecuteOptions<E> = {},
  ): Promise<Result<OutputIn<E>>> {
    return this.#run(await this.#admit(request, completeRequest, options), options)
  }

  /**
   * Starts one command in a terminal of its own (Linux); otherwise as `execute`. Also throws INVALID_REQUEST
   * where no terminal is available. When the promise resolves, the command runs.
   */
  async start(request: StartRequest, options: ExecuteOptions = {}): Promise<Pty> {
    const command = await this.#admit(request, this.#completeStart, options)
    return startCommand((onStarted) => this.#run(command, { ...options, onStarted }))
  }

  /** Runs commands in order, to the first that fails. All are admitted before the first one starts. */
  async executeAll<E extends Encoding = 'utf8'>(
    requests: readonly (string | ExecuteRequest)[],
    options: ExecuteAllOptions<E> = {},
  ): Promise<Result<OutputIn<E>>[]> {
    const { workDir: cwd, timeoutMs, ignoreErrors = false, ...each } = readListOptions(options)
    const listed = readList(requests)
    const commands: RecordedCommand[] = []
    const results: Result<OutputIn<E>>[] = []
    try {
      for (const own of listed)
        commands.push(await this.#admit({ cwd, timeoutMs, ...own }, completeRequest, each))
      for (const command of commands) {
        const result = await this.#run<E>(command, each).catch(withResults(results))
        results.push(result)
        if (!ignoreErrors && (result.outcome.kind !== 'exited' || result.exitCode !== 0)) break
      }
      return results
    } finally {
      for (const { entry } of commands) await entry?.close()
    }
  }

  /** The standing approvals of this shell; `revoke` takes them back. */
  get approvals(): readonly StandingApproval[] {
    return this.#admission.standingApprovals()
  }

  /** Revokes one standing approval of `approvals`, or all. */
  revoke(approval?: StandingApproval): void {
    this.#admission.revoke(approval)
  }

  /** Signals the process group of every running command. Throws INVALID_REQUEST for an unknown signal. */
  signal(name: NodeJS.Signals): void {
    checkSignal(name)
    for (const supervision of this.#running) supervision.signal(name)
  }

  /** Kills all running commands and waits for their end. Background processes of write mode live on. */
  async close(): Promise<void> {
    this.#closed = true
    const running = [...this.#running]
    for (const supervision of running) supervision.stop('closed')
    await Promise.all(running.map((supervision) => supervision.ended))
    await Promise.all(this.#removing)
    await this.#equipment.sandbox.close?.()
  }

  #complete<R>(request: R, completed: RequestCompleter<R>): CompleteRequest {
    const { shell } = this.config
    const complete = completed(request, {
      cwd: this.cwd,
      timeoutMs: shell.timeout_ms,
      maxTimeoutMs: shell.max_timeout_ms,
    })
    if (complete.scratchpad !== undefined) checkScratchpadName(complete.scratchpad)
    return complete
  }

  readonly #completeStart: RequestCompleter<StartRequest> = (request, defaults) => {
    const complete = completeStart(request, defaults)
    if (this.#equipment.launcher.terminals) return complete
    const problem = { kind: 'no-terminal' } as const
    const { backend } = this.config.shell
    throw new VitrineError({
      code: 'INVALID_REQUEST',
      problem: backend === 'docker' ? { ...problem, backend } : problem,
    })
  }

  /** Checks and admits a request, and begins its audit entry. */
  async #admit<R extends ExecuteRequest | StartRequest>(
    given: R,
    completed: RequestCompleter<R>,
    options: ExecuteOptions<Encoding>,
  ): Promise<RecordedCommand> {
    const { recorder } = this.#equipment
    const mode = this.#mode
    const check = () => this.#check(() => this.#complete(given, completed), mode, options)
    if (!recorder) return check()
    const entry = await recorder.begin(given, mode, this.scratchpad.session)
    return entry.admitting(check)
  }

  async #check(
    complete: () => CompleteRequest,
    mode: Mode,
    options: ExecuteOptions<Encoding>,
  ): Promise<RecordedCommand> {
    const { signal } = readExecuteOptions(options)
    this.#checkOpen(signal)
    const given = complete()
    const cwd = (await this.#equipment.directoryThere?.(given.cwd)) ?? given.cwd
    const request = { ...given, cwd }
    if (mode === 'read' && typeof request.stdin === 'number') checkInput(request.stdin)
    if (request.scratchpad !== undefined) this.scratchpad.checkSavable(request.scratchpad)
    const setup = this.#setups.in(mode, request.privateTmp)
    // A line of a session begins with the variables that earlier ones left.
    const environments = options.line ? undefined : knownEnvironments(setup)
    const { timeoutMs } = request
    const admission = await this.#admission.admit({ ...request, mode, environments }, { timeoutMs, signal })
    const { docker, shell } = this.config
    if (mode === 'write' && docker.start_command !== '' && shell.backend === 'local')
      await (await import('./host/engine-ready.ts')).engineReady(request, { env: this.#env, docker, signal })
    return { request, mode, setup, admission }
  }

  /** Checks again: abort and close may have come during admission. Then the command never starts. */
  async #run<E extends Encoding>(
    command: RecordedCommand,
    { onOutput, ...options }: ExecuteOptions<E> & Pick<RunOptions, 'onStarted'>,
  ): Promise<Result<OutputIn<E>>> {
    const listener = new Listener(onOutput)
    const run = async () => {
      this.#checkOpen(options.signal)
      return runCommand(command, this.#runContext, { ...options, listener })
    }
    const result = await (command.entry ? command.entry.running(run) : run())
    const failed = listener.end()
    if (failed) throw new ListenerError(failed.error, result)
    // `runCommand` got the encoding of these options.
    return result as Result<OutputIn<E>>
  }

  #checkOpen(signal: AbortSignal | undefined): void {
    signal?.throwIfAborted()
    if (this.#closed) throw new VitrineError({ code: 'INVALID_REQUEST', problem: { kind: 'shell-closed' } })
  }

  get #runContext(): RunContext {
    return {
      config: this.config,
      launcher: this.#equipment.launcher,
      interpreter: this.#equipment.interpreter,
      scratchpad: this.scratchpad,
      running: this.#running,
      removing: this.#removing,
    }
  }
}
