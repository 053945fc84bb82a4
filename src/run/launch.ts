import { inThisContext, monotonicMs } from '../base/clock.ts'
import { environmentOf, type ModeSetup } from '../host/mode-setup.ts'
import type { Deadline, LaunchEvents, LaunchedProcess, LaunchRequest } from '../launch/launch.ts'
import { without, withVariables } from '../request/environment.ts'
import type { ProgramToStart } from '../request/interpreter.ts'
import { checkInput, feedStdin } from '../request/stdin.ts'
import { termOf } from '../request/terminal.ts'
import { interpreterOf } from './admit.ts'
import { mayBeAsked } from './again.ts'
import { askProtected, hostQuestions } from './ask.ts'
import { Collector } from './collect.ts'
import type { Execution, Running } from './execution.ts'
import { Backpressure, Listener } from './listener.ts'
import { type Cause, Supervision } from './supervise.ts'

/**
 * Launches a command and starts its clock. Throws INVALID_REQUEST for a descriptor that is no harmless input any more,
 * SANDBOX_UNAVAILABLE if its private directory cannot be made.
 */
export function launch(execution: Execution): Running {
  const { request, mode, options, context, tmp, access } = execution
  // Again: the caller may have closed it, and opened another file under its number.
  if (mode !== 'write' && typeof request.stdin === 'number') checkInput(request.stdin)
  const deadline = deadlineOf(execution)
  // A call must return within a second after deadline and grace; the rest is for building the result.
  const made = tmp.make(request.timeoutMs + deadline.graceMs + 800)
  const launchedAt = monotonicMs()
  const until = launchedAt + deadline.timeoutMs
  const ask = hostQuestions(execution, until)
  const setup = access?.open(made, ask) ?? made
  const supervision = new Supervision({ signal: options.signal, ...deadline })
  const output = outputOf(execution, supervision, () => process)
  const variables = variablesOf(execution, setup)
  const start = startOf()
  const process = context.backend.launcher.launch(
    launchRequestOf(execution, setup, { variables, deadline }),
    {
      ...eventsOf({ output, supervision, start }),
      asked: answering(execution, supervision, until),
    },
  )
  const ended = supervision.ended.then((end) => {
    output.collector.ended()
    process.stdin?.destroy()
    const durationMs = Math.round(monotonicMs() - launchedAt)
    return { setup, collector: output.collector, durationMs, ...end }
  })
  if (mode === 'workspace') context.repositories().beside()
  supervision.watch({ ...process, destroy: () => destroy(process, output) })
  feedStdin(process.stdin, request.stdin)
  const stop = (cause: Cause) => supervision.stop(cause)
  const signal = (name: NodeJS.Signals) => supervision.signal(name)
  return { ended, started: start.started, stop, signal, process, listener: output.listener }
}

/** The addon calls it from no asynchronous context: an approver finds that of its call (AsyncLocalStorage). */
function answering(
  execution: Execution,
  { ended }: Supervision,
  until: number,
): NonNullable<LaunchEvents['asked']> {
  return inThisContext((path, answer) => {
    const wait = { timeoutMs: until - monotonicMs(), ended }
    void askProtected(execution, path, wait).then(answer, () => answer(false))
  })
}

interface Output {
  readonly listener: Listener
  readonly collector: Collector
  readonly backpressure: Backpressure
}

function outputOf(execution: Execution, supervision: Supervision, process: () => LaunchedProcess): Output {
  const { request, options, context } = execution
  const { config, scratchpad } = context
  const backpressure = new Backpressure((bytes) => process().consumed(bytes))
  // The addon calls from no asynchronous context: the callback finds that of its call (AsyncLocalStorage).
  const onOutput = options.onOutput && inThisContext(options.onOutput)
  const listener = new Listener(onOutput, {
    onFailure: () => supervision.stop('cancelled'),
    withholds: mayBeAsked(execution),
  })
  const collector = new Collector({
    inlineChars: options.inlineMaxChars ?? config.output.inline_max_chars,
    maxBytes: config.output.max_bytes,
    save: options.save ?? true,
    openSpill: () => scratchpad.open(request.scratchpad),
    consumed: (bytes) => backpressure.took('collector', bytes),
    overflow: () => supervision.stop('output-limit'),
  })
  return { listener, collector, backpressure }
}

interface Start {
  readonly started: Promise<void>
  begin(): void
}

function startOf(): Start {
  let begin = () => {}
  const started = new Promise<void>((resolve) => {
    begin = resolve
  })
  return { started, begin }
}

interface Receivers {
  readonly output: Output
  readonly supervision: Supervision
  readonly start: Start
}

function eventsOf({ output, supervision, start }: Receivers): LaunchEvents {
  const { listener, collector, backpressure } = output
  return {
    output: (stream, chunk) => {
      if (collector.isOver) return
      backpressure.arrived(chunk.length)
      collector.add(stream, chunk)
      backpressure.offered(chunk.length, listener.tell(stream, chunk))
    },
    started: start.begin,
    end: (end) => supervision.finish(end),
  }
}

function deadlineOf({ request, admission, context }: Execution): Deadline {
  return {
    timeoutMs: Math.max(1, request.timeoutMs - admission.lookupMs),
    graceMs: context.config.shell.kill_grace_ms,
  }
}

type CommandVariables = Pick<LaunchRequest, 'environment' | 'own'>

/** If the command sets none itself, those of the proxy stay in `own`: the text of all others is then made once for all commands. */
function variablesOf({ request, access }: Execution, setup: ModeSetup): CommandVariables {
  const { env, terminal } = request
  const inherited = environmentOf(setup, terminal !== null)
  const own = access?.variables
  const isChanged = terminal !== null || Object.keys(env).length > 0
  if (own && !isChanged) return { environment: without(inherited, own), own }
  const given = withVariables(own ? { ...inherited, ...own } : inherited, env, setup.place)
  return { environment: terminal ? { ...given, TERM: termOf(terminal, given['TERM']) } : given }
}

interface LaunchParts {
  readonly variables: CommandVariables
  readonly deadline: Deadline
}

function launchRequestOf(
  { request, context }: Execution,
  { confinement, limits }: ModeSetup,
  { variables: { environment, own }, deadline }: LaunchParts,
): LaunchRequest {
  const { cwd, merged, stdin, terminal, work } = request
  const interpreter = interpreterOf(work, context)
  const { candidates, argv, variables, ...rest }: ProgramToStart =
    work.kind === 'argv' ? interpreter.argv(work.argv, { cwd, environment }) : interpreter.line(work.line)
  return {
    candidates,
    argv,
    environment: variables ? { ...environment, ...variables } : environment,
    own,
    confinement,
    limits,
    deadline,
    cwd,
    terminal,
    merged,
    stdin: stdin === null || typeof stdin === 'number' ? stdin : 'pipe',
    ...rest,
  }
}

function destroy(process: LaunchedProcess, { backpressure }: Output): void {
  backpressure.release()
  process.destroy()
}
