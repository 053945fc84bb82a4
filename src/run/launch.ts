import type { ApprovalWait } from '../admit/admission.ts'
import { isYes } from '../admit/approvals.ts'
import { inThisContext, monotonicMs, onAbort } from '../base/clock.ts'
import type { Listening, Result, Stream } from '../base/types.ts'
import type { ModeSetup } from '../host/mode-setup.ts'
import type { Deadline, LaunchEvents, LaunchedProcess, LaunchRequest, ProcessEnd } from '../launch/launch.ts'
import type { AskHost, Wanted } from '../network/gate.ts'
import { hostAndPort } from '../network/hosts.ts'
import { type Variables, withVariables } from '../request/environment.ts'
import { checkSignal } from '../request/fields.ts'
import { environmentOf as variablesIn } from '../request/state.ts'
import { checkInput, feedStdin } from '../request/stdin.ts'
import { checkSize, checkTyped, termOf } from '../request/terminal.ts'
import type { Collector } from './collect.ts'
import { type Cause, type Ended, type Execution, interpreterOf, type Running } from './execution.ts'
import { Output } from './output.ts'

/**
 * Launches a command and starts its clock. Throws INVALID_REQUEST for a descriptor that is no harmless input any more,
 * SANDBOX_UNAVAILABLE if its private directory cannot be made.
 */
export function launch(execution: Execution): Running {
  const { request, mode, admission, context, tmp, access } = execution
  // Again: the caller may have closed it, and opened another file under its number.
  if (mode !== 'write' && typeof request.stdin === 'number') checkInput(request.stdin)
  const timeoutMs = Math.max(1, request.timeoutMs - admission.lookupMs)
  const deadline = { timeoutMs, graceMs: context.config.shell.kill_grace_ms }
  // A call must return within a second after deadline and grace; the rest is for building the result.
  const made = tmp ? tmp.make(request.timeoutMs + deadline.graceMs + 800) : execution.setup
  const launchedAt = monotonicMs()
  const ask = access && hostQuestions(execution, launchedAt + timeoutMs)
  const command = new Command(execution, access ? access.open(made, ask) : made, { ...deadline, launchedAt })
  if (mode === 'workspace') context.repositories().beside()
  feedStdin(command.process.stdin, request.stdin)
  return command
}

interface Clock extends Deadline {
  /** On the monotonic clock. */
  readonly launchedAt: number
}

/** Longest wait for the end after SIGKILL and the sweep, in milliseconds. */
const lastWaitMs = 900

const none: readonly Listening[] = []

/** A command that runs, and what its launcher tells of it. Only the first cause of its end counts. */
class Command implements Running, LaunchEvents {
  readonly ended: Promise<Ended>
  readonly begun: Promise<void>
  readonly process: LaunchedProcess
  readonly asked: LaunchEvents['asked']
  listening: readonly Listening[] = none
  onChange: Running['onChange']
  readonly #setup: ModeSetup
  readonly #clock: Clock
  readonly #output: Output
  readonly #cleanups: (() => void)[] = []
  #cause: Cause | undefined
  #resolve: ((ended: Ended) => void) | undefined
  #begin: (() => void) | undefined

  constructor(execution: Execution, setup: ModeSetup, clock: Clock) {
    const { context, mode, options } = execution
    this.#setup = setup
    this.#clock = clock
    this.ended = new Promise((resolve) => {
      this.#resolve = resolve
    })
    this.begun = new Promise((resolve) => {
      this.#begin = resolve
    })
    this.#output = new Output(execution, this)
    if (mode === 'workspace') this.asked = this.#answering(execution)
    this.process = context.backend.launcher.launch(requestOf(execution, setup, clock), this)
    const { timeoutMs } = clock
    const deadline = timeoutMs < Infinity ? setTimeout(() => this.stop('deadline'), timeoutMs) : undefined
    const forget = onAbort(options.signal, () => this.stop('cancelled'))
    this.#cleanups.push(() => clearTimeout(deadline), forget)
  }

  get listener(): Running['listener'] {
    return this.#output.listener
  }

  get collector(): Collector {
    return this.#output.collector
  }

  /** The addon calls it from no asynchronous context: an approver finds that of its call (AsyncLocalStorage). */
  #answering(execution: Execution): LaunchEvents['asked'] {
    const until = this.#clock.launchedAt + this.#clock.timeoutMs
    // Later questions wait for the one that is put: it ends with its command.
    const over = new AbortController()
    void this.ended.then(() => over.abort())
    return inThisContext((path, answer) => {
      const wait = { timeoutMs: Math.max(1, until - monotonicMs()), signal: over.signal }
      void askProtected(execution, path, wait).then(answer, () => answer(false))
    })
  }

  started(): void {
    this.#begin?.()
  }

  output(stream: Stream, chunk: Buffer): void {
    this.#output.add(stream, chunk)
    this.onChange?.()
  }

  listens(at: Listening): void {
    this.listening = [...this.listening, at]
    this.onChange?.()
  }

  signal(name: NodeJS.Signals): void {
    this.process.signal(name)
  }

  /** No grace over the output limit: the command would go on writing. */
  stop(cause: Cause): void {
    if (this.#cause) return
    this.#cause = cause
    const graceMs = cause === 'output-limit' ? 0 : this.#clock.graceMs
    const backstop = setTimeout(() => this.end(abandoned), graceMs + lastWaitMs)
    this.#cleanups.push(() => clearTimeout(backstop))
    if (cause === 'output-limit') {
      this.#destroy()
      return
    }
    this.process.terminate(cause === 'deadline')
    const kill = setTimeout(() => this.#destroy(), graceMs)
    this.#cleanups.push(() => clearTimeout(kill))
  }

  #destroy(): void {
    this.#output.release()
    this.process.destroy()
  }

  end(end: ProcessEnd): void {
    for (const cleanup of this.#cleanups.splice(0)) cleanup()
    const { collector } = this.#output
    collector.isOver = true
    this.process.stdin?.destroy()
    const durationMs = Math.round(monotonicMs() - this.#clock.launchedAt)
    this.#resolve?.({ setup: this.#setup, collector, durationMs, end, cause: causeOf(end, this.#cause) })
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

function requestOf(execution: Execution, setup: ModeSetup, deadline: Deadline): LaunchRequest {
  const { request, context } = execution
  const { cwd, merged, stdin, terminal, work, background } = request
  const environment = environmentOf(execution, setup)
  const interpreter = interpreterOf(work, context)
  const { variables, ...program } =
    work.kind === 'argv'
      ? interpreter.argv(work.own?.argv ?? work.argv, { cwd, environment })
      : interpreter.line(work.line)
  const inState = execution.inState?.argv
  return {
    ...program,
    ...(inState && { argv: inState, keepsState: true }),
    environment: variables ? { ...environment, ...variables } : environment,
    confinement: setup.confinement,
    limits: setup.limits,
    deadline,
    cwd,
    terminal,
    merged,
    tellsStart: background !== undefined,
    stdin: stdin === null || typeof stdin === 'number' ? stdin : 'pipe',
  }
}

function environmentOf({ request, access }: Execution, setup: ModeSetup): Variables {
  const { env, terminal, session } = request
  const usual = terminal ? setup.inTerminal() : setup.environment()
  const inherited = session ? withVariables(usual, variablesIn(session.state), setup.place) : usual
  const given = withVariables(access ? { ...inherited, ...access.variables } : inherited, env, setup.place)
  return terminal ? { ...given, TERM: termOf(terminal, given['TERM']) } : given
}

/** Asks the approver whether a protected path may change: `[workspace] on_protected`. Keeps the answer for the audit log. */
async function askProtected(
  { request, mode, context, answers }: Execution,
  path: string,
  wait: ApprovalWait,
): Promise<boolean> {
  // The command itself reads what is typed at its terminal.
  if (request.terminal) return false
  const answer = await context.admission.approveChange({ ...request, mode }, path, wait)
  if (answer) answers.push(answer)
  return answer !== undefined && isYes(answer.approval)
}

/** Asks the approver about hosts that are not listed: `[network] ask`. Undefined: they are refused unasked. */
function hostQuestions(execution: Execution, deadlineAt: number): AskHost | undefined {
  const { request, access, context } = execution
  // The command itself reads what is typed at its terminal.
  if (!access?.asks || !context.admission.hasApprover || request.terminal) return undefined
  const answers = new Map<string, Promise<boolean>>()
  // The proxy calls in the asynchronous context of the shell's first command: an approver finds that of its call.
  return inThisContext((wanted, signal) => {
    // One answer for all connections of the command to the host and port, those that wait for it included.
    const key = hostAndPort(wanted.host, wanted.port)
    const known = answers.get(key)
    if (known) return known
    const answer = askHost(execution, wanted, { timeoutMs: Math.max(1, deadlineAt - monotonicMs()), signal })
    answers.set(key, answer)
    return answer
  })
}

async function askHost(
  { request, mode, context, hostAnswers }: Execution,
  { host, port, client }: Wanted,
  wait: ApprovalWait,
): Promise<boolean> {
  const question = { host: host.name, port, program: client?.program }
  const answer = await context.admission.approveHost({ ...request, mode }, question, wait)
  if (answer) hostAnswers.push(answer)
  return answer !== undefined && isYes(answer.approval)
}

/** A command in its own terminal. The terminal's output goes to `onOutput` as `stdout`. */
export interface Pty {
  /**
   * Types text as UTF-8, or raw bytes. Resolves when the terminal has taken them or the command has ended.
   * Nothing is lost on the way, but a terminal in canonical mode drops what exceeds 4095 bytes in one line
   * (termios(3)). Rejects with INVALID_REQUEST for anything else.
   */
  write(data: string | Uint8Array): Promise<void>
  /** Sets the size (1 to 65535 characters); the foreground program gets SIGWINCH. Throws INVALID_REQUEST. */
  resize(columns: number, rows: number): void
  /**
   * Ends every process in the terminal (SIGTERM, SIGHUP, `kill_grace_ms`, SIGKILL); the result is
   * `cancelled`. With a signal: sends it to the command's process group and the foreground group. Throws
   * INVALID_REQUEST.
   */
  kill(signal?: NodeJS.Signals): void
  /** The output is one stream, `merged`. */
  readonly result: Promise<Result>
}

export function ptyOf(running: Running | undefined, result: Promise<Result>): Pty {
  const process = running?.process
  const typed = process?.stdin
  return {
    write: async (data) => {
      checkTyped(data)
      await new Promise<void>((resolve) => {
        if (!typed || typed.destroyed) resolve()
        else typed.write(data, () => resolve())
      })
    },
    resize: (columns, rows) => {
      checkSize({ columns, rows })
      process?.resize?.(columns, rows)
    },
    kill: (signal) => {
      if (signal === undefined) return running?.stop('cancelled')
      checkSignal(signal)
      running?.signal(signal)
    },
    result,
  }
}
