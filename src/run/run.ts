import type { Admitted } from '../admit/admission.ts'
import type { AnyResult, Encoding, Mode } from '../base/types.ts'
import type { Config } from '../config/schema.ts'
import { cannotEnter } from '../facts/directory.ts'
import type { ModeSetup } from '../host/mode-setup.ts'
import type { Deadline, LaunchedProcess, Launcher } from '../launch/launch.ts'
import { VitrineError } from '../messages/error.ts'
import { startsOneProgram } from '../messages/fallbacks.ts'
import { namingProjects } from '../messages/project.ts'
import { type Variables, withVariables } from '../request/environment.ts'
import type { ExecuteOptions } from '../request/execute-options.ts'
import type { Interpreter, ProgramToStart } from '../request/interpreter.ts'
import { LineFollower, withLineVariables } from '../request/line-state.ts'
import type { CompleteRequest } from '../request/request.ts'
import { feedStdin } from '../request/stdin.ts'
import { termOf } from '../request/terminal.ts'
import type { Scratchpad } from '../scratchpad/scratchpad.ts'
import { Backpressure } from './backpressure.ts'
import { Collector } from './collect.ts'
import type { Listener } from './listener.ts'
import { metadataOf } from './metadata.ts'
import { withPrivateTmp } from './private-tmp.ts'
import { buildResult } from './result.ts'
import { saveOutput } from './save.ts'
import { type SupervisedEnd, Supervision } from './supervise.ts'

export interface AdmittedCommand {
  readonly request: CompleteRequest
  readonly mode: Mode
  readonly setup: ModeSetup
  readonly admission: Admitted
}

export interface RunContext {
  readonly config: Config
  readonly launcher: Launcher
  readonly interpreter: Interpreter
  readonly scratchpad: Scratchpad
  readonly running: Set<Supervision>
  readonly removing: Set<Promise<unknown>>
}

export interface RunningCommand {
  readonly launched: LaunchedProcess
  readonly supervision: Supervision
  /** `undefined` if the command is not a line of a session. */
  readonly follower: LineFollower | undefined
}

export interface RunOptions extends Omit<ExecuteOptions<Encoding>, 'onOutput'> {
  readonly listener: Listener
  /** With a terminal: called when the command runs. */
  readonly onStarted?: (running: RunningCommand) => void
}

interface Parts {
  readonly follower: LineFollower | undefined
  readonly collector: Collector
  readonly backpressure: Backpressure
  readonly supervision: Supervision
}

/** Throws SPAWN_FAILED if it never ran, SANDBOX_UNAVAILABLE if its private directory cannot be made. */
export async function runCommand(
  command: AdmittedCommand,
  context: RunContext,
  options: RunOptions,
): Promise<AnyResult> {
  // A call must return within a second after deadline and grace; the rest is for building the result.
  const maxMs = command.request.timeoutMs + context.config.shell.kill_grace_ms + 800
  return withPrivateTmp(command.setup, context.removing, maxMs, (setup) =>
    runToEnd({ ...command, setup }, context, options),
  )
}

/** The returned function builds the result. */
async function runToEnd(
  command: AdmittedCommand,
  context: RunContext,
  options: RunOptions,
): Promise<() => Promise<AnyResult>> {
  const { request } = command
  const { config, running } = context
  const started = performance.now()
  const deadline = {
    timeoutMs: Math.max(1, request.timeoutMs - command.admission.lookupMs),
    graceMs: config.shell.kill_grace_ms,
  }
  const supervision = new Supervision({ ...deadline, signal: options.signal })
  const { launched, collector } = launch(command, deadline, context, supervision, options)
  // After the launch: close() waits for the end of each, and a launch that throws has none.
  running.add(supervision)
  const ended = await supervision.ended
  running.delete(supervision)
  launched.stdin?.destroy()
  const ran = ranToItsEnd(ended, request, context.interpreter)
  const durationMs = Math.round(performance.now() - started)
  return () => resultOf(command, context, collector, ran, durationMs, options)
}

function launch(
  command: AdmittedCommand,
  deadline: Deadline,
  { config, launcher, scratchpad, interpreter }: RunContext,
  supervision: Supervision,
  options: RunOptions,
): { readonly launched: LaunchedProcess; readonly collector: Collector } {
  const { request, setup } = command
  let launched: LaunchedProcess | undefined
  const backpressure = new Backpressure((bytes) => launched?.consumed(bytes))
  const collector = new Collector({
    inlineChars: options.inlineMaxChars ?? config.output.inline_max_chars,
    maxBytes: config.output.max_bytes,
    save: options.save ?? true,
    openSpill: () => scratchpad.open(request.scratchpad),
    consumed: (bytes) => backpressure.took('collector', bytes),
    overflow: () => supervision.stop('output-limit'),
  })
  const environment = environmentOf(command, options)
  const follower =
    options.line && request.work.kind === 'line' && launcher.states
      ? new LineFollower(options.line, environment)
      : undefined
  const program = programOf(request, environment, interpreter, follower)
  const parts = { collector, backpressure, supervision, follower }
  const process = start(request, program, deadline, { ...setup, environment }, launcher, parts, options)
  launched = process
  const destroy = () => {
    backpressure.release()
    process.destroy()
  }
  options.listener.onFailure = () => supervision.stop('listener')
  supervision.watch({ ...process, destroy })
  feedStdin(process.stdin, request.stdin)
  return { launched: process, collector }
}

function environmentOf(
  { request: { env, terminal }, setup, admission }: AdmittedCommand,
  { line }: RunOptions,
): Variables {
  const inherited = setup.environments[admission.gitCare]
  const given = withVariables(inherited, env, setup.place)
  const own = terminal ? { ...given, TERM: termOf(terminal, given['TERM']) } : given
  return withLineVariables(own, line?.variables)
}

function programOf(
  { work, cwd, terminal }: CompleteRequest,
  environment: Variables,
  interpreter: Interpreter,
  follower: LineFollower | undefined,
): ProgramToStart {
  if (work.kind === 'argv') return interpreter.argv(work.argv, { cwd, environment })
  return interpreter.line(follower?.wrapped(work.line, terminal !== null) ?? work.line)
}

function start(
  { cwd, merged, stdin, terminal }: CompleteRequest,
  { variables, ...program }: ProgramToStart,
  deadline: Deadline,
  {
    environment,
    confinement,
    limits,
  }: Pick<ModeSetup, 'confinement' | 'limits'> & { environment: Variables },
  launcher: Launcher,
  { collector, backpressure, supervision, follower }: Parts,
  { listener, onStarted }: RunOptions,
): LaunchedProcess {
  const input = stdin === null || typeof stdin === 'number' ? stdin : 'pipe'
  const launched = launcher.launch(
    {
      ...program,
      environment: variables ? { ...environment, ...variables } : environment,
      confinement,
      limits,
      deadline,
      cwd,
      terminal,
      merged,
      stdin: input,
      ...(follower && { state: true }),
    },
    {
      output: (stream, chunk) => {
        backpressure.arrived(chunk.length)
        collector.add(stream, chunk)
        backpressure.offered(chunk.length, listener.tell(stream, chunk))
      },
      state: (chunk) => follower?.take(chunk),
      started: () => onStarted?.({ launched, supervision, follower }),
      end: (end) => {
        follower?.end()
        supervision.finish(end)
      },
    },
  )
  return launched
}

type RanToItsEnd = Parameters<typeof buildResult>[0]['ended']

function ranToItsEnd(
  ended: SupervisedEnd,
  { work, cwd }: CompleteRequest,
  { name }: Interpreter,
): RanToItsEnd {
  const { end } = ended
  if (end.kind !== 'failed') return { ...ended, end }
  if (end.refusal) throw new VitrineError(end.refusal)
  if (end.step === 'chdir') throw cannotEnter(cwd, end.errno)
  const program = work.kind === 'line' ? name : work.argv[0]
  throw new VitrineError({ code: 'SPAWN_FAILED', step: end.step, errno: end.errno, program })
}

async function resultOf(
  { request, mode, setup, admission }: AdmittedCommand,
  { config, scratchpad, interpreter }: RunContext,
  collector: Collector,
  ended: RanToItsEnd,
  durationMs: number,
  { inlineMaxChars = config.output.inline_max_chars, encoding = 'utf8', hintFor = 'user' }: RunOptions,
): Promise<AnyResult> {
  const { output, shell } = config
  const collected = await collector.finish()
  const shown = { inlineChars: inlineMaxChars, encoding }
  const result = buildResult({
    ended,
    collected,
    saved: saveOutput(scratchpad, collected, request.scratchpad, shown),
    ...shown,
    maxBytes: output.max_bytes,
    durationMs,
    timeoutMs: request.timeoutMs,
    loweredFromMs: request.loweredFromMs,
    mode,
    backend: shell.backend,
    limits: setup.limits,
    enforcement: setup.enforcement,
    decision: admission.decision,
    temporary: {
      directory: setup.environments.none['TMPDIR'],
      own: setup.privateTmp !== null,
      cwd: request.cwd,
    },
    single: request.work.kind === 'argv' || startsOneProgram(request.work.line),
    hintFor,
    hint: request.work.kind === 'line' ? interpreter.hint?.(request.work.line) : undefined,
  })
  if (result.scratchpad) scratchpad.describe(result.scratchpad.name, metadataOf(request, result))
  return namingProjects(result, config, setup.projectSettings)
}
