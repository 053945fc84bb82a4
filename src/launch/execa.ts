import { randomUUID } from 'node:crypto'
import { accessSync, constants, openSync, statSync, unlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { errorCode } from '../base/errno.ts'
import { platform } from '../base/platform.ts'
import { signalled } from '../base/process.ts'
import { cannotConfine } from '../sandbox/sandbox.ts'
import {
  type LaunchEvents,
  type LaunchedProcess,
  type Launcher,
  type LaunchRequest,
  neverStarted,
  type ProcessEnd,
  type Survivors,
  takeState,
} from './launch.ts'
import { type Cookie, makeCookie, sweep } from './sweep.ts'

const windowBytes = 1024 * 1024
/** After the leader's end, output is awaited until it is silent this long, and no longer than `drainMs`. */
const silenceMs = 50
const drainMs = 250
const pollMs = 5

type Execa = typeof import('execa')
type Child = ReturnType<Execa['execa']>

/** Process groups, and a shell to join both streams: not on Windows. */
const groups = platform !== 'windows'

/** For where no addon loads. Confines with sandbox-exec only and refuses every other confinement. */
export async function execaLauncher(): Promise<Launcher> {
  const { execa } = await import('execa')
  return {
    name: 'execa',
    terminals: false,
    sessions: groups,
    limits: {
      wanted: 'the native addon on Linux',
      got: 'no addon',
      remedy: 'run it on Linux, with the addon built (npm run build) or a package with a prebuilt one',
    },
    launch(request, events) {
      if (request.confinement && request.confinement.kind !== 'seatbelt')
        throw cannotConfine('execa', request.confinement.kind)
      const found = findProgram(request.candidates)
      if ('errno' in found) return neverStarted({ kind: 'failed', step: 'exec', errno: found.errno }, events)
      const cookie = makeCookie()
      const state = request.keepsState ? openState() : undefined
      const child = start(execa, vectorOf(found.path, request), { ...request, state }, cookie)
      const launched = supervised(child, request, events, cookie)
      return state === undefined ? launched : { ...launched, state: () => takeState(state) }
    },
  }
}

/** A file without a name: it has no end to wait for, as a pipe has. */
function openState(): number {
  const path = join(tmpdir(), `vitrine-state-${randomUUID()}`)
  const fd = openSync(path, 'wx+', 0o600)
  unlinkSync(path)
  return fd
}

/** As execvp(3): the first executable, or EACCES if one exists but is not executable. */
function findProgram(candidates: readonly string[]): { path: string } | { errno: string } {
  let errno = 'ENOENT'
  for (const path of candidates) {
    const reason = unexecutable(path)
    if (reason === undefined) return { path }
    if (reason === 'EACCES') errno = reason
  }
  return { errno }
}

function unexecutable(path: string): string | undefined {
  try {
    if (!statSync(path).isFile()) return 'EACCES'
    accessSync(path, constants.X_OK)
    return undefined
  } catch (error) {
    return errorCode(error) ?? 'ENOENT'
  }
}

interface Vector {
  readonly program: string
  readonly args: readonly string[]
  readonly argv0: string
}

function vectorOf(path: string, { argv, merged, confinement }: LaunchRequest): Vector {
  const wrapper = confinement?.kind === 'seatbelt' ? confinement.wrapper() : []
  const [name = path, ...rest] = argv
  // A wrapped program gets the wrapper's argv[0].
  const [program, ...args] = [...wrapper, path, ...rest] as [string, ...string[]]
  // Node gives each descriptor its own pipe, so a shell joins both streams into one.
  if (merged && groups)
    return { program: '/bin/sh', args: ['-c', 'exec "$0" "$@" 2>&1', program, ...args], argv0: 'sh' }
  return { program, args, argv0: program === path ? name : program }
}

function start(
  execa: Execa['execa'],
  { program, args, argv0 }: Vector,
  request: LaunchRequest & { readonly state: number | undefined },
  cookie: Cookie,
): Child {
  return execa(program, args, {
    argv0,
    cwd: request.cwd,
    env: { ...request.environment, [cookie.name]: cookie.value },
    extendEnv: false,
    detached: groups,
    windowsHide: true,
    cleanup: true,
    buffer: false,
    reject: false,
    stripFinalNewline: false,
    stdio: [inputOf(request), 'pipe', 'pipe', ...(request.state === undefined ? [] : [request.state])],
  } as never) as Child
}

function inputOf({ stdin }: LaunchRequest): 'ignore' | 'pipe' | [number] {
  if (stdin === null) return 'ignore'
  return stdin === 'pipe' ? 'pipe' : [stdin]
}

function supervised(
  child: Child,
  request: LaunchRequest,
  events: LaunchEvents,
  cookie: Cookie,
): LaunchedProcess {
  const output = passOutput(child, request, events)
  if (request.tellsStart) child.once('spawn', () => events.started())
  const group = (signal: NodeJS.Signals | 0) =>
    child.pid !== undefined && signalled(groups ? -child.pid : child.pid, signal)
  const state = { isEnding: false, isKilled: false }
  const terminate = () => {
    state.isEnding = true
    group('SIGTERM')
    group('SIGCONT')
  }
  const destroy = () => {
    state.isEnding = true
    state.isKilled = true
    group('SIGKILL')
    return sweep(cookie)
  }
  const follow = async () => {
    const exit = await exitOf(child)
    if ('errno' in exit) return events.end({ kind: 'failed', step: 'exec', errno: exit.errno })
    await drained(child, output.lastByte)
    const isLeft = group(0)
    const survivors = { killed: 0, alive: isLeft ? 1 : 0, group: child.pid ?? 0 }
    if (!state.isEnding && !request.confinement) return events.end(endOf(exit, survivors))
    // No process found outlives a confined command, or one that is ended: each gets the grace, unless a kill has been ordered.
    if (!state.isEnding) terminate()
    const until = Date.now() + request.deadline.graceMs
    while (group(0) && Date.now() < until && !state.isKilled) await setTimeout(pollMs)
    const killed = Math.max(destroy(), survivors.alive)
    events.end(endOf(exit, { ...survivors, killed, alive: 0 }))
  }
  void follow()
  return {
    stdin: request.stdin === 'pipe' ? (child.stdin ?? null) : null,
    signal: group,
    terminate,
    destroy,
    consumed: output.consumed,
  }
}

/** Passes output on, until `windowBytes` of it wait to be consumed. */
function passOutput(child: Child, { merged }: LaunchRequest, events: LaunchEvents) {
  let open = 0
  let lastByte = 0
  for (const stream of ['stdout', 'stderr'] as const)
    child[stream]?.on('data', (chunk: Buffer) => {
      lastByte = Date.now()
      open += chunk.length
      if (open > windowBytes) for (const pipe of pipesOf(child)) pipe.pause()
      events.output(merged ? 'stdout' : stream, chunk)
    })
  return {
    lastByte: () => lastByte,
    consumed(bytes: number) {
      open -= bytes
      if (open <= windowBytes / 2) for (const pipe of pipesOf(child)) pipe.resume()
    },
  }
}

function pipesOf({ stdout, stderr }: Child) {
  return [stdout, stderr].filter((pipe) => pipe !== null && pipe !== undefined)
}

interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

function exitOf(child: Child): Promise<Exit | { readonly errno: string }> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }))
    child.once('error', (error) => resolve({ errno: errorCode(error) ?? 'UNKNOWN' }))
  })
}

/** Until the output is over or silent: survivors with the pipe delay nothing. */
async function drained(child: Child, lastByte: () => number): Promise<void> {
  const since = Date.now()
  const isOpen = () => pipesOf(child).some((pipe) => !pipe.readableEnded && !pipe.destroyed)
  while (isOpen() && Date.now() - Math.max(since, lastByte()) < silenceMs && Date.now() - since < drainMs)
    await setTimeout(pollMs)
}

function endOf({ code, signal }: Exit, survivors: Survivors): ProcessEnd {
  const ran = { survivors, denials: [] }
  return signal ? { kind: 'signalled', signal, ...ran } : { kind: 'exited', code: code ?? 0, ...ran }
}
