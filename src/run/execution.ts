import type { Admitted, HostAnswer, ProtectedAnswer } from '../admit/admission.ts'
import type { AnyResult, Encoding, Mode } from '../base/types.ts'
import type { ModeSetup } from '../host/mode-setup.ts'
import type { LaunchedProcess, ProcessEnd } from '../launch/launch.ts'
import type { CompleteRequest, ExecuteOptions } from '../request/request.ts'
import type { Collector } from './collect.ts'
import type { RunContext } from './context.ts'
import type { HostAccess } from './hosts.ts'
import type { PrivateTmp } from './private-tmp.ts'

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
  /** The approver's, about protected paths, while it ran. */
  readonly answers: ProtectedAnswer[]
  /** The approver's, about hosts. */
  readonly hostAnswers: HostAnswer[]
  running: Running | undefined
}

export interface Running {
  readonly ended: Promise<Ended>
  /** With a terminal: resolves when the command runs; never if it cannot be started. */
  readonly begun: Promise<void> | undefined
  stop(cause: Cause): void
  signal(name: NodeJS.Signals): void
  readonly process: LaunchedProcess
  /** Of the caller's `onOutput`. */
  readonly listener: Listener | undefined
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
