import type { ModeSetup } from '../host/mode-setup.ts'
import type { Deadline, LaunchedProcess, LaunchRequest } from '../launch/launch.ts'
import { type Variables, withVariables } from '../request/environment.ts'
import type { ProgramToStart } from '../request/interpreter.ts'
import { LineFollower, withLineVariables } from '../request/line-state.ts'
import { feedStdin } from '../request/stdin.ts'
import { termOf } from '../request/terminal.ts'
import { Backpressure } from './backpressure.ts'
import { Collector } from './collect.ts'
import type { Execution } from './execution.ts'
import { Listener } from './listener.ts'
import { type Cause, type SupervisedEnd, Supervision } from './supervise.ts'

/** A launched command. */
export interface Running {
  readonly ended: Promise<Ended>
  /** With a terminal: resolves when the command runs; never if it cannot be started. */
  readonly started: Promise<void>
  stop(cause: Cause): void
  signal(name: NodeJS.Signals): void
  readonly process: LaunchedProcess
  readonly listener: Listener
  /** undefined: the command is not a line of a session. */
  readonly follower: LineFollower | undefined
}

export interface Ended extends SupervisedEnd {
  /** With the command's private directory. */
  readonly setup: ModeSetup
  readonly collector: Collector
  readonly durationMs: number
}

/** Launches a command and starts its clock. Throws SANDBOX_UNAVAILABLE if its private directory cannot be made. */
export function launch(execution: Execution): Running {
  const { request, options, context, tmp } = execution
  const deadline = deadlineOf(execution)
  // A call must return within a second after deadline and grace; the rest is for building the result.
  const setup = tmp.make(request.timeoutMs + deadline.graceMs + 800)
  const launchedAt = performance.now()
  const supervision = new Supervision({ ...deadline, signal: options.signal })
  const listener = new Listener(options.onOutput, () => supervision.stop('listener'))
  const backpressure = new Backpressure((bytes) => process.consumed(bytes))
  const collector = collectorOf(execution, supervision, backpressure)
  const environment = environmentOf(execution, setup)
  const follower = followerOf(execution, environment)
  let begin = () => {}
  const started = new Promise<void>((resolve) => {
    begin = resolve
  })
  const process = context.backend.launcher.launch(
    launchRequestOf(execution, setup, { environment, deadline, follower }),
    {
      output: (stream, chunk) => {
        backpressure.arrived(chunk.length)
        collector.add(stream, chunk)
        backpressure.offered(chunk.length, listener.tell(stream, chunk))
      },
      state: (chunk) => follower?.take(chunk),
      started: () => begin(),
      end: (end) => {
        follower?.end()
        supervision.finish(end)
      },
    },
  )
  const ended = supervision.ended.then((end) => {
    process.stdin?.destroy()
    return { ...end, setup, collector, durationMs: Math.round(performance.now() - launchedAt) }
  })
  supervision.watch({ ...process, destroy: () => destroy(process, backpressure) })
  feedStdin(process.stdin, request.stdin)
  const stop = (cause: Cause) => supervision.stop(cause)
  const signal = (name: NodeJS.Signals) => supervision.signal(name)
  return { ended, started, stop, signal, process, listener, follower }
}

/** Time spent on lookups before the launch counts. */
function deadlineOf({ request, admission, context }: Execution): Deadline {
  return {
    timeoutMs: Math.max(1, request.timeoutMs - admission.lookupMs),
    graceMs: context.config.shell.kill_grace_ms,
  }
}

function collectorOf(
  { request, options, context: { config, scratchpad } }: Execution,
  supervision: Supervision,
  backpressure: Backpressure,
): Collector {
  return new Collector({
    inlineChars: options.inlineMaxChars ?? config.output.inline_max_chars,
    maxBytes: config.output.max_bytes,
    save: options.save ?? true,
    openSpill: () => scratchpad.open(request.scratchpad),
    consumed: (bytes) => backpressure.took('collector', bytes),
    overflow: () => supervision.stop('output-limit'),
  })
}

function environmentOf({ request, admission, options }: Execution, setup: ModeSetup): Variables {
  const { env, terminal } = request
  const given = withVariables(setup.environments[admission.gitCare], env, setup.place)
  const own = terminal ? { ...given, TERM: termOf(terminal, given['TERM']) } : given
  return withLineVariables(own, options.line?.variables)
}

function followerOf(
  { request, options: { line }, context }: Execution,
  environment: Variables,
): LineFollower | undefined {
  if (!line || request.work.kind !== 'line' || !context.backend.launcher.states) return undefined
  return new LineFollower(line, environment)
}

interface LaunchParts {
  readonly environment: Variables
  readonly deadline: Deadline
  readonly follower: LineFollower | undefined
}

function launchRequestOf(
  { request, context }: Execution,
  { confinement, limits }: ModeSetup,
  { environment, deadline, follower }: LaunchParts,
): LaunchRequest {
  const { cwd, merged, stdin, terminal, work } = request
  const { interpreter } = context.backend
  const { variables, ...program }: ProgramToStart =
    work.kind === 'argv'
      ? interpreter.argv(work.argv, { cwd, environment })
      : interpreter.line(follower?.wrapped(work.line, terminal !== null) ?? work.line)
  return {
    ...program,
    environment: variables ? { ...environment, ...variables } : environment,
    confinement,
    limits,
    deadline,
    cwd,
    terminal,
    merged,
    stdin: stdin === null || typeof stdin === 'number' ? stdin : 'pipe',
    ...(follower && { state: true }),
  }
}

function destroy(process: LaunchedProcess, backpressure: Backpressure): void {
  backpressure.release()
  process.destroy()
}
