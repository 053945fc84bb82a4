import { Admission } from './admit/admission.ts'
import type { StandingApproval } from './admit/approvals.ts'
import type { AuditEntry, Recorder } from './audit/recorder.ts'
import { loadLate } from './base/process.ts'
import type { Decision, Encoding, Enforcement, Mode, OutputIn, Result } from './base/types.ts'
import type { IgnoredValue } from './config/load.ts'
import { checkBackend } from './config/origin.ts'
import type { Config } from './config/schema.ts'
import { Files } from './files/files.ts'
import { openBackend } from './host/backend.ts'
import { type Host, thisHost } from './host/host.ts'
import { checkWildcards, configOf } from './host/load-config.ts'
import {
  checkMode,
  type ExecuteAllOptions,
  readShellOptions,
  type ShellOptions,
} from './host/shell-options.ts'
import { VitrineError } from './messages/error.ts'
import type { BackgroundRequest } from './request/background.ts'
import { absolutePath, checkSignal } from './request/fields.ts'
import type { ExecuteOptions, ExecuteRequest } from './request/request.ts'
import type { SessionState } from './request/state.ts'
import { lineOf, type TemplateValue } from './request/template.ts'
import type { StartRequest } from './request/terminal.ts'
import { type Asked, admit, ask, decide, type Given, toldOf } from './run/admit.ts'
import { orAgain, refusedOf } from './run/again.ts'
import type { BackgroundCommand } from './run/background.ts'
import { contextOf, type Execution, type RunContext, type Running } from './run/execution.ts'
import { finish } from './run/finish.ts'
import { launch, type Pty, ptyOf } from './run/launch.ts'
import { runList } from './run/list.ts'
import { openSession, type Session, type SessionRunner, takeState } from './run/session/session.ts'
import { type Lines, linesOf } from './run/stdout-lines.ts'
import type { Scratchpad } from './scratchpad/scratchpad.ts'

/** Opens a shell, unless this host cannot enforce it. Throws INVALID_REQUEST (an option, the directory), CONFIG_INVALID, SANDBOX_UNAVAILABLE. */
export async function openShell(options: ShellOptions = {}): Promise<Shell> {
  const read = readShellOptions(options)
  return openOn(thisHost(read.addon), read)
}

/** On a given host: tests take parts of it away. */
export async function openShellOn(host: Host, options: ShellOptions = {}): Promise<Shell> {
  return openOn(host, readShellOptions(options))
}

async function openOn(host: Host, options: ShellOptions): Promise<Shell> {
  const env = options.env ?? process.env
  const cwd = absolutePath(options.cwd ?? '.')
  const loaded = await configOf(options, { cwd, env })
  await checkBackend(loaded)
  await checkWildcards(options.network, loaded)
  const backend = await openBackend(host, loaded, { ...options, cwd, env })
  const admission = new Admission({ loaded, cwd, env, ...backend, approver: options.approver })
  await admission.ready()
  const { path, required } = loaded.config.audit
  // Imported late because most shells have no audit log.
  const audit = path !== '' || required ? await loadLate(() => import('./audit/recorder.ts')) : undefined
  const recorder = await audit?.makeRecorder(host, loaded, { cwd, env })
  const context = contextOf(loaded, backend, admission, { ...options, cwd, env })
  const shell = new Shell(context, recorder, loaded.ignored)
  shell.mode = options.mode ?? loaded.config.shell.mode
  return shell
}

type Recorded = Execution & { readonly entry: AuditEntry | undefined }

/** Runs commands with one directory, one configuration, and one mode at a time. */
export class Shell {
  /** The absolute directory in which commands run. */
  readonly cwd: string
  /** In force, from all files and variables. */
  readonly config: Config
  /** The saved outputs of this shell's session. */
  readonly scratchpad: Scratchpad
  /** Values of project files that are ignored, because they would loosen the user's settings. */
  readonly ignored: readonly IgnoredValue[]
  /** Reads and changes files as commands would. */
  readonly files: Files = new Files((request, options) => this.#call({ kind: 'file', request }, options))
  readonly #context: RunContext
  readonly #recorder: Recorder | undefined
  readonly #running = new Set<Running>()
  /** Admitted calls, up to their results and their lines in the audit log. */
  readonly #calls = new Set<Promise<unknown>>()
  #mode: Mode = 'read'
  #closed = false

  /** @internal Use `openShell`. */
  constructor(context: RunContext, recorder: Recorder | undefined, ignored: readonly IgnoredValue[]) {
    this.cwd = context.defaults.cwd
    this.config = context.config
    this.scratchpad = context.scratchpad
    this.ignored = ignored
    this.#context = context
    this.#recorder = recorder
  }

  /** That of the next command. Setting it throws INVALID_REQUEST for no mode, SANDBOX_UNAVAILABLE for one that cannot be enforced. */
  get mode(): Mode {
    return this.#mode
  }

  set mode(mode: Mode) {
    checkMode(mode)
    if (mode !== 'write' && this.config.shell.sandbox) this.#context.setups.in(mode)
    this.#mode = mode
  }

  /** Per right of the host: enforced or not in the current mode. */
  get enforcement(): Enforcement {
    return this.#context.setups.in(this.#mode).enforcement
  }

  /** The policy's decision about a command. Nothing runs. Throws INVALID_REQUEST. */
  decide(request: ExecuteRequest): Promise<Decision> {
    return decide(request, this.#mode, this.#context)
  }

  /**
   * Runs one command to its end. A non-zero exit is a result. Throws a `VitrineError` when the command never ran, the reason of `signal`
   * when that aborted before, a `ListenerError` when `onOutput` failed. In write mode a line of the safe list runs held in read mode:
   * `onOutput` gets its output at its end. What was refused runs once more in write mode if it is approved.
   */
  async execute<E extends Encoding = 'utf8'>(
    request: ExecuteRequest,
    options?: ExecuteOptions<E>,
  ): Promise<Result<OutputIn<E>>> {
    return this.#call<E>({ kind: 'command', request }, options)
  }

  async #call<E extends Encoding>(given: Given, options?: ExecuteOptions<E>): Promise<Result<OutputIn<E>>> {
    const asked = ask(given, options, this.#mode, this.#context)
    const execution = await this.#admit(asked)
    return this.#counted(this.#runAndAsk<E>(asked, execution))
  }

  async #admit(asked: Asked): Promise<Recorded> {
    const entry = await this.#recorder?.begin(toldOf(asked), asked.mode, this.scratchpad.session)
    try {
      this.#checkOpen(asked.options)
      const execution = await admit(asked, this.#context)
      entry?.admitted(execution.admission)
      return { entry, ...execution }
    } catch (error) {
      await entry?.refused(error, asked.options.signal)
      throw error
    }
  }

  /** Launches an admitted command before it first waits; then awaits its end, and finishes it. */
  async #run<E extends Encoding>(execution: Recorded): Promise<Result<OutputIn<E>>> {
    const { options, tmp, access, entry } = execution
    try {
      this.#checkOpen(options) // again, after admission
      const running = launch(execution)
      execution.running = running
      this.#running.add(running)
      const ended = await running.ended
      this.#running.delete(running)
      if (execution.inState) takeState(execution, running)
      const finished = await finish(execution, ended)
      const result = (await entry?.ended(finished, execution)) ?? finished
      const { listener } = running
      if (listener && !(listener.withholds && refusedOf(execution, result))) await listener.end(result)
      return result as Result<OutputIn<E>> // its encoding is that of the options
    } catch (error) {
      await entry?.refused(error, options.signal)
      throw error
    } finally {
      access?.end()
      await tmp?.remove()
      await entry?.close()
    }
  }

  #counted<T>(call: Promise<T>): Promise<T> {
    const forget = () => this.#calls.delete(call)
    this.#calls.add(call)
    void call.then(forget, forget)
    return call
  }

  async #runAndAsk<E extends Encoding>(asked: Asked, execution: Recorded): Promise<Result<OutputIn<E>>> {
    const first = await this.#run<E>(execution)
    return orAgain(execution, first, async (refused) =>
      this.#run<E>(await this.#admit({ ...asked, mode: 'write', refused })),
    )
  }

  /**
   * A session: directory, variables, umask, options, functions and aliases carry over from one of its commands to the next. Throws
   * INVALID_REQUEST where none can be kept: in a container, and with PowerShell. `state`: goes on from that of another session.
   */
  session(state?: SessionState): Session {
    const run: SessionRunner = (given, options) => this.#call({ kind: 'command', ...given }, options)
    return openSession(this.#context, () => this.#mode, run, state)
  }

  /** Runs the line of a template string; each value is one word of it: ``shell.$`git log -n ${n} -- ${path}` ``. Throws as `execute`. */
  async $(parts: TemplateStringsArray, ...values: readonly TemplateValue[]): Promise<Result> {
    return this.execute({ command: lineOf(parts, values) })
  }

  /** Runs one command and iterates over the lines of its stdout. Throws as `execute`, in the loop. */
  lines(request: ExecuteRequest, options: Omit<ExecuteOptions, 'onOutput'> = {}): Lines {
    return linesOf((all) => this.execute(request, all), options)
  }

  /**
   * Starts one command in a terminal of its own (Linux). Resolves when it runs, or has ended before it could. Throws as `execute`, and
   * INVALID_REQUEST where no terminal is available.
   */
  async start(request: StartRequest, options?: ExecuteOptions): Promise<Pty> {
    const execution = await this.#admit(
      ask({ kind: 'terminal', request }, options, this.#mode, this.#context),
    )
    const result = this.#counted(this.#run<'utf8'>(execution))
    await Promise.race([execution.running?.begun ?? result, result])
    return ptyOf(execution.running, result)
  }

  /**
   * Starts one command in the background: it gets a deadline only by `timeoutMs`, and ends with the shell. Resolves when it is ready; a
   * `NotReadyError` has the result of one that ended before, or was not in time. Else throws as `execute`.
   */
  async background(request: BackgroundRequest, options?: ExecuteOptions): Promise<BackgroundCommand> {
    const execution = await this.#admit(
      ask({ kind: 'background', request }, options, this.#mode, this.#context),
    )
    const result = this.#counted(this.#run<'utf8'>(execution))
    const { whenReady } = await loadLate(() => import('./run/background.ts'))
    return whenReady(execution, result)
  }

  /**
   * Runs commands in order, to the first that fails, or until `signal` aborts. All are admitted before the first one starts; a second run
   * of one when its first has ended. Throws what `execute` throws; a `VitrineError` has the results so far, in `results`.
   */
  async executeAll<E extends Encoding = 'utf8'>(
    requests: readonly (string | ExecuteRequest)[],
    options: ExecuteAllOptions<E> = {},
  ): Promise<Result<OutputIn<E>>[]> {
    return runList<E, Asked, Recorded>(requests, options, {
      ask: (request, each) => ask({ kind: 'command', request }, each, this.#mode, this.#context),
      admit: (asked) => this.#admit(asked),
      run: (asked, execution) => this.#runAndAsk<E>(asked, execution),
      drop: async ({ entry }) => entry?.close(),
      counted: (running) => this.#counted(running),
    })
  }

  /** The standing approvals of this shell; `revoke` takes them back. */
  get approvals(): readonly StandingApproval[] {
    return this.#context.admission.standingApprovals()
  }

  /** Revokes one standing approval of `approvals`; without an argument all. Throws nothing. */
  revoke(approval?: StandingApproval): void {
    this.#context.admission.revoke(approval)
  }

  /** Signals the process group of every running command. Throws INVALID_REQUEST for an unknown signal. */
  signal(name: NodeJS.Signals): void {
    checkSignal(name)
    for (const running of this.#running) running.signal(name)
  }

  /**
   * Kills all running commands and waits for their end, and for their lines in the audit log. Questions that an approver
   * has not answered end. Background processes of write mode live on. Throws nothing.
   */
  async close(): Promise<void> {
    this.#closed = true
    this.#context.admission.end()
    this.#context.endWalks()
    for (const each of this.#running) each.stop('cancelled')
    await Promise.allSettled(this.#calls)
    await Promise.all(this.#context.removing)
    await this.#context.proxy.close()
    await this.#context.backend.sandbox.close?.()
  }

  /** As `close`, which throws nothing: `await using shell = await openShell()` closes it at the end of the block. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  #checkOpen({ signal }: ExecuteOptions<Encoding>): void {
    signal?.throwIfAborted()
    if (this.#closed) throw new VitrineError({ code: 'INVALID_REQUEST', problem: { kind: 'shell-closed' } })
  }
}
