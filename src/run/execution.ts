import type { Admitted, HostAnswer, ProtectedAnswer } from '../admit/admission.ts'
import type { Encoding, Mode } from '../base/types.ts'
import type { ModeSetup } from '../host/mode-setup.ts'
import type { LaunchedProcess } from '../launch/launch.ts'
import type { CompleteRequest, ExecuteOptions } from '../request/request.ts'
import type { Collector } from './collect.ts'
import type { RunContext } from './context.ts'
import type { HostAccess } from './hosts.ts'
import type { Listener } from './listener.ts'
import type { PrivateTmp } from './private-tmp.ts'
import type { Cause, SupervisedEnd } from './supervise.ts'

/** One admitted command, with everything that it takes to launch and finish it. */
export interface Execution {
  readonly request: CompleteRequest
  readonly mode: Mode
  readonly options: ExecuteOptions<Encoding>
  readonly admission: Admitted
  /** Its mode's setup, and its private directory where the setup grants one. */
  readonly tmp: PrivateTmp
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
  readonly started: Promise<void>
  stop(cause: Cause): void
  signal(name: NodeJS.Signals): void
  readonly process: LaunchedProcess
  readonly listener: Listener
}

export interface Ended extends SupervisedEnd {
  readonly setup: ModeSetup
  readonly collector: Collector
  readonly durationMs: number
}
