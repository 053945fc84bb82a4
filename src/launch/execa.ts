import { accessSync, constants, statSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { errorCode } from '../base/errno.ts'
import { platform } from '../base/platform.ts'
import { signalled } from '../base/process.ts'
import { cannotConfine, limitsWithoutAddon } from '../messages/platform.ts'
import {
  type LaunchEvents,
  type LaunchedProcess,
  type Launcher,
  type LaunchRequest,
  neverStarted,
  type ProcessEnd,
} from './launch.ts'
import { type Cookie, makeCookie, sweep } from './sweep.ts'

const windowBytes = 1024 * 1024
/** After the leader's end, output is awaited until it is silent this long, and no longer than `drainMs`. */
const silenceMs = 50
const drainMs = 250

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
    limits: limitsWithoutAddon,
    launch(request, events) {
      if (request.confinement && request.confinement.kind !== 'seatbelt')
        throw new Error(cannotConfine('execa', request.confinement.kind))
      const found = findProgram(request.candidates)
      if ('errno' in found) return neverStarted({ kind: 'failed', step: 'exec', errno: found.errno }, events)
      const cookie = makeCookie()
      const wrapper = request.confinement?.wrapper() ?? []
      const child = start(execa, vectorOf(found.path, request, wrapper), request, cookie)
      return supervised(child, request, events, cookie)
    },
  }
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

function vectorOf(path: string, { argv, merged }: LaunchRequest, wrapper: readonly string[]): Vector {
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
  request: LaunchRequest,
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
    stdin: request.stdin === null ? 'ignore' : request.stdin === 'pipe' ? 'pipe' : [request.stdin],
  } as never) as Child
}

function supervised(
  child: Child,
  request: LaunchRequest,
  events: LaunchEvents,
  cookie: Cookie,
): LaunchedProcess {
  const { lastByte, consumed } = passOutput(child, request, events)
  let ending = false
  let killed = false
  const group = (signal: NodeJS.Signals) => signalGroup(child.pid, signal)
  const killAll = () => {
    killed = true
    group('SIGKILL')
    return sweep(cookie)
  }
  const ask = () => {
    group('SIGTERM')
    group('SIGCONT')
  }
  endOf(child, lastByte)
    // No process found outlives a confined command.
    .then(async (end) => {
      if (!ending && !request.confinement) return end
      if (!ending) ask()
      await ended(child.pid, request.deadline.graceMs, () => killed)
      return withKilled(end, killAll())
    })
    .then((end) => events.end(end))
  return {
    stdin: request.stdin === 'pipe' ? (child.stdin ?? null) : null,
    signal: group,
    terminate: () => {
      ending = true
      ask()
    },
    destroy: () => {
      ending = true
      killAll()
    },
    consumed,
  }
}

/** Until the group that the leader has left is empty, the grace is over, or a kill has been ordered. */
async function ended(group: number | undefined, graceMs: number, isKilled: () => boolean): Promise<void> {
  const until = Date.now() + graceMs
  while (signalGroup(group, 0) && Date.now() < until && !isKilled()) await pause()
}

const pause = () => new Promise((resolve) => setTimeout(resolve, 5))

function withKilled(end: ProcessEnd, swept: number): ProcessEnd {
  if (end.kind === 'failed') return end
  const killed = Math.max(swept, end.survivors.alive)
  return { ...end, survivors: { ...end.survivors, killed, alive: 0 } }
}

/** Passes output on, until `windowBytes` of it wait to be consumed. */
function passOutput(child: Child, { merged }: LaunchRequest, events: LaunchEvents) {
  let open = 0
  let lastByte = 0
  for (const stream of ['stdout', 'stderr'] as const)
    child[stream]?.on('data', (chunk: Buffer) => {
      lastByte = Date.now()
      open += chunk.length
      if (open > windowBytes) for (const pipe of streamsOf(child)) pipe.pause()
      events.output(merged ? 'stdout' : stream, chunk)
    })
  return {
    lastByte: () => lastByte,
    consumed(bytes: number) {
      open -= bytes
      if (open <= windowBytes / 2) for (const pipe of streamsOf(child)) pipe.resume()
    },
  }
}

/** When the leader has ended and the output is over or silent: survivors with the pipe delay nothing. */
async function endOf(child: Child, lastByte: () => number): Promise<ProcessEnd> {
  const exit = await new Promise<{ code: number | null; signal: NodeJS.Signals | null; errno?: string }>(
    (resolve) => {
      child.once('exit', (code, signal) => resolve({ code, signal }))
      child.once('error', (error: NodeJS.ErrnoException) =>
        resolve({ code: null, signal: null, errno: error.code ?? 'UNKNOWN' }),
      )
    },
  )
  if (exit.errno !== undefined || child.pid === undefined)
    return { kind: 'failed', step: 'exec', errno: exit.errno ?? 'UNKNOWN' }
  await drained(child, lastByte)
  const alive = signalGroup(child.pid, 0) ? 1 : 0
  const survivors = { killed: 0, alive, group: child.pid }
  if (exit.signal) return { kind: 'signalled', signal: exit.signal, survivors, denials: [] }
  return { kind: 'exited', code: exit.code ?? 0, survivors, denials: [] }
}

async function drained(child: Child, lastByte: () => number): Promise<void> {
  const since = Date.now()
  const open = () => streamsOf(child).some((pipe) => !pipe.readableEnded && !pipe.destroyed)
  while (open() && Date.now() - Math.max(since, lastByte()) < silenceMs && Date.now() - since < drainMs)
    await pause()
}

function streamsOf({ stdout, stderr }: Child): Readable[] {
  return [stdout, stderr].filter((pipe) => pipe !== null && pipe !== undefined)
}

function signalGroup(pid: number | undefined, signal: NodeJS.Signals | 0): boolean {
  return pid !== undefined && signalled(groups ? -pid : pid, signal)
}
