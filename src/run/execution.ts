import type { Admission, Admitted, HostAnswer, ProtectedAnswer } from '../admit/admission.ts'
import type { AnyResult, Connection, Encoding, Environment, Handoff, Listening, Mode } from '../base/types.ts'
import type { LoadedConfig } from '../config/load.ts'
import type { Config } from '../config/schema.ts'
import type { BackendParts } from '../host/backend.ts'
import { checkLimits, type ModeSetup, privateTmpOf, Setups } from '../host/mode-setup.ts'
import type { ShellOptions, ShellPlace } from '../host/shell-options.ts'
import { changesIn, searchedFrom, type WorkspaceChanges } from '../host/workspace.ts'
import type { LaunchedProcess, ProcessEnd } from '../launch/launch.ts'
import { type Network, networkOf } from '../network/access.ts'
import type { Interpreter } from '../request/interpreter.ts'
import type { CompleteRequest, ExecuteOptions, Invocation } from '../request/request.ts'
import type { LineInState } from '../request/state.ts'
import type { StartDefaults } from '../request/terminal.ts'
import type { Repositories } from '../sandbox/workspace/repositories.ts'
import { kept, Scratchpad } from '../scratchpad/scratchpad.ts'
import type { Collected, Collector } from './collect.ts'
import { type HostAccess, ShellProxy } from './hosts.ts'
import type { PrivateTmp } from './private-tmp.ts'
import type { Saved, Shown } from './shown.ts'

/** One admitted command, with everything that it takes to launch and finish it. */
export interface Execution {
  readonly request: CompleteRequest
  readonly mode: Mode
  readonly options: ExecuteOptions<Encoding>
  readonly admission: Admitted
  /** Its mode's. */
  readonly setup: ModeSetup
  /** Where the setup grants a private directory. */
  readonly tmp: PrivateTmp | undefined
  /** Where the network is a list of hosts. */
  readonly access: HostAccess | undefined
  readonly context: RunContext
  /** Of a session. */
  readonly inState: LineInState | undefined
  /** The approver's, about protected paths, while it ran. */
  readonly answers: ProtectedAnswer[]
  /** The approver's, about hosts. */
  readonly hostAnswers: HostAnswer[]
  running: Running | undefined
}

export interface Running {
  readonly ended: Promise<Ended>
  /** With a terminal, or in the background: resolves when the command runs; never if it cannot be started. */
  readonly begun: Promise<void>
  stop(cause: Cause): void
  signal(name: NodeJS.Signals): void
  readonly process: LaunchedProcess
  /** Of the caller's `onOutput`. */
  readonly listener: Listener | undefined
  readonly collector: Collector
  /** The addresses at which it has begun to listen. */
  readonly listening: readonly Listening[]
  /** Called after output, and when it begins to listen. */
  onChange: (() => void) | undefined
}

export interface Listener {
  /** Nothing has been passed on, so that the command can run again without saying anything twice. */
  readonly withholds: boolean
  /** The result stands. Throws a `ListenerError` with it if the callback has failed. */
  end(result: AnyResult): Promise<void>
}

/** `cancelled`: by the caller's signal, by closing the shell, or because `onOutput` failed. */
export type Cause = 'deadline' | 'cancelled' | 'output-limit'

export interface Ended {
  readonly end: ProcessEnd
  /** The first cause; `undefined` if the command ended by itself. */
  readonly cause: Cause | undefined
  readonly setup: ModeSetup
  readonly collector: Collector
  readonly durationMs: number
}

export type Ran = Exclude<ProcessEnd, { kind: 'failed' }>

/** A command that has run, with all that its result depends on. */
export interface Finished extends Omit<Ended, 'end'> {
  readonly execution: Execution
  readonly end: Ran
  readonly collected: Collected
  readonly saved: Saved
  readonly shown: Shown
  readonly handoffs: readonly Handoff[]
  /** Undefined: the network is no list of hosts. */
  readonly connections: readonly Connection[] | undefined
  /** Why its private directory is still there. */
  readonly tmpNote: string | undefined
}

export interface RunContext {
  readonly config: Config
  readonly env: Environment
  readonly backend: BackendParts
  readonly admission: Admission
  readonly setups: Setups
  /** The shell's; a call may narrow it. */
  readonly network: Network
  readonly proxy: ShellProxy
  /** Of the workspace: for commands of workspace mode. */
  readonly repositories: () => Repositories
  /** Walks beside commands end. */
  readonly endWalks: () => void
  readonly scratchpad: Scratchpad
  readonly defaults: StartDefaults
  /** The workspace, for the check of a request's `program`. */
  readonly workspaceRoot: () => string
  /** Removals of private directories that go on behind their commands' results. */
  readonly removing: Set<Promise<unknown>>
}

export type ContextOptions = ShellOptions & ShellPlace

/** Throws SANDBOX_UNAVAILABLE where the launcher cannot hold the configured limits. */
export function contextOf(
  loaded: LoadedConfig,
  backend: BackendParts,
  admission: Admission,
  options: ContextOptions,
): RunContext {
  const { config } = loaded
  checkLimits(config.limits, backend.launcher.limits)
  const env = { ...options.env }
  const network = networkOf(options.network ?? config.shell.network, config.network)
  const privateTmp = options.privateTmp ?? privateTmpOf(loaded, backend.sandbox)
  const { cwd, workspace: named } = options
  let opened: WorkspaceChanges | undefined
  const inWorkspace = () => {
    opened ??= changesIn(loaded, { cwd, env, named, sandbox: backend.sandbox })
    return opened
  }
  const changes = () => inWorkspace().current()
  const setups = new Setups({ config, equipment: backend, changes, network: network.kind, privateTmp, env })
  return {
    config,
    env,
    backend,
    admission,
    setups,
    network,
    proxy: new ShellProxy(backend),
    repositories: () => inWorkspace().repositories,
    endWalks: () => opened?.repositories.close(),
    scratchpad: options.scratchpad ?? new Scratchpad(env, kept),
    defaults: {
      cwd,
      timeoutMs: config.shell.timeout_ms,
      maxTimeoutMs: config.shell.max_timeout_ms,
      backend: config.shell.backend,
      terminals: backend.launcher.terminals,
    },
    workspaceRoot: () => searchedFrom(cwd, named),
    removing: new Set(),
  }
}

/** What a request starts: the program, or the shell of a line. */
export function programOf({ work }: CompleteRequest, context: RunContext): string {
  return work.kind === 'line' ? interpreterOf(work, context).name : (work.own?.argv ?? work.argv)[0]
}

/** What reads a line: the shell's program, unless the request names another. */
export function interpreterOf(work: Invocation, { backend }: RunContext): Interpreter {
  const program = work.kind === 'line' ? work.program : undefined
  return program === undefined ? backend.interpreter : backend.interpreterFor(program)
}
