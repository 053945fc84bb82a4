import { onAbort } from '../base/clock.ts'
import type { LaunchedProcess, ProcessEnd } from '../launch/launch.ts'

/** `cancelled`: by the caller's signal, by closing the shell, or because `onOutput` failed. */
export type Cause = 'deadline' | 'cancelled' | 'output-limit'

export interface SupervisedEnd {
  readonly end: ProcessEnd
  /** The first cause; `undefined` if the command ended by itself. */
  readonly cause: Cause | undefined
}

export interface SuperviseOptions {
  readonly timeoutMs: number
  readonly graceMs: number
  readonly signal?: AbortSignal | undefined
}

/** Longest wait for the end after SIGKILL and the sweep, in milliseconds. */
const lastWaitMs = 900

export class Supervision {
  readonly ended: Promise<SupervisedEnd>
  #resolve: (ended: SupervisedEnd) => void = () => {}
  #cause: Cause | undefined
  #process: LaunchedProcess | undefined
  readonly #options: SuperviseOptions
  readonly #cleanups: (() => void)[] = []

  constructor(options: SuperviseOptions) {
    this.#options = options
    this.ended = new Promise((resolve) => {
      this.#resolve = resolve
    })
  }

  /** Begins supervision. Until then there is no timer or event listener to clean up. */
  watch(process: LaunchedProcess): void {
    this.#process = process
    const { timeoutMs, signal } = this.#options
    const deadline = setTimeout(() => this.stop('deadline'), timeoutMs)
    const forget = onAbort(signal, () => this.stop('cancelled'))
    this.#cleanups.push(() => clearTimeout(deadline), forget)
    if (this.#cause) this.#end(process, this.#cause)
  }

  /** Only the first cause counts. */
  stop(cause: Cause): void {
    if (this.#cause) return
    this.#cause = cause
    if (this.#process) this.#end(this.#process, cause)
  }

  signal(name: NodeJS.Signals): void {
    this.#process?.signal(name)
  }

  finish(end: ProcessEnd): void {
    for (const cleanup of this.#cleanups.splice(0)) cleanup()
    this.#resolve({ end, cause: causeOf(end, this.#cause) })
  }

  /** No grace over the output limit: the command would go on writing. */
  #end(process: LaunchedProcess, cause: Cause): void {
    const graceMs = cause === 'output-limit' ? 0 : this.#options.graceMs
    const backstop = setTimeout(() => this.finish(abandoned), graceMs + lastWaitMs)
    this.#cleanups.push(() => clearTimeout(backstop))
    if (cause === 'output-limit') {
      process.destroy()
      return
    }
    process.terminate(cause === 'deadline')
    const kill = setTimeout(() => process.destroy(), graceMs)
    this.#cleanups.push(() => clearTimeout(kill))
  }
}

/** A launcher with its own clock is more reliable than this thread's timer, which may have been delayed. */
function causeOf(end: ProcessEnd, cause: Cause | undefined): Cause | undefined {
  if (end.kind === 'failed' || end.timedOut === undefined) return cause
  if (end.timedOut) return 'deadline'
  return cause === 'deadline' ? undefined : cause
}

/** The kernel cannot end a process in uninterruptible sleep (proc(5)) yet: the call returns without it. */
const abandoned: ProcessEnd = {
  kind: 'signalled',
  signal: 'SIGKILL',
  survivors: { killed: 0, alive: 1, group: 0 },
  denials: [],
}
