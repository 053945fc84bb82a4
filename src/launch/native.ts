import { access, readSync } from 'node:fs'
import { constants } from 'node:os'
import type { Writable } from 'node:stream'
import { errnoName } from '../base/errno.ts'
import type { Stream } from '../base/types.ts'
import type { LandlockConfinement } from '../sandbox/sandbox.ts'
import type { Addon, AddonCore, NativeEnd, NativeFailure, NativeHandler } from './addon.ts'
import type { LaunchEvents, LaunchedProcess, Launcher, LaunchRequest, Limits, ProcessEnd } from './launch.ts'
import { linuxLimits } from './limits.ts'

/** Flags of the addon's spawn: native/binding/request.h. */
export const flag = { merged: 1, confined: 2, network: 4, listener: 8, report: 16, state: 32 }
export const stdinNull = -1
export const stdinPipe = -2
const started = -3
export const streams: readonly Stream[] = ['stdout', 'stderr']

/**
 * Node lists a number's usual name first (SIGABRT before SIGIOT, SIGIO before SIGPOLL): reversed, it wins.
 */
const signalNames = new Map(
  Object.entries(constants.signals)
    .reverse()
    .map(([name, number]) => [number, name as NodeJS.Signals]),
)

/**
 * Starts processes with the addon: clone, confinement and exec in native code; its supervisor reports output
 * and end.
 */
export function nativeLauncher(addon: Addon): Launcher {
  const running = commandsOf<LaunchEvents>(addon, (commands) => (id, stream, payload) => {
    const events = commands.get(id)
    if (!events) return
    if (stream >= 0) return events.output(streams[stream] ?? 'stdout', payload as Buffer)
    if (stream === started) return events.started()
    commands.delete(id)
    events.end(linuxEnd(payload as NativeEnd))
  })
  return {
    name: 'native',
    terminals: true,
    states: true,
    limits: linuxLimits(addon.probe()),
    launch(request, events) {
      startThreads()
      const spawned = spawn(addon, request)
      if ('failedStep' in spawned) return neverStarted(spawned, events)
      running.set(spawned.id, spawned.state === undefined ? events : withState(spawned.state, events))
      return launched(addon, spawned.id, spawned.stdin)
    },
  }
}

const commandsKey = Symbol.for('vitrine.commands')

/**
 * The running commands by id. Stored on the addon, which has one handler: several copies of this module may
 * share it (Jest loads one per test file).
 */
export function commandsOf<Command>(
  addon: AddonCore,
  handlerOf: (commands: Map<number, Command>) => NativeHandler,
): Map<number, Command> {
  const known: Map<number, Command> | undefined = Reflect.get(addon, commandsKey)
  if (known) return known
  const commands = new Map<number, Command>()
  Reflect.set(addon, commandsKey, commands)
  addon.listen(handlerOf(commands))
  return commands
}

let hasThreads = false

/**
 * Starts Node's thread pool before the first command. Node starts it with the first asynchronous call that
 * needs it and aborts if it cannot, and a command may use up the processes of the user or the cgroup.
 */
function startThreads(): void {
  if (hasThreads) return
  hasThreads = true
  access('/', () => {})
}

/** The supervisor keeps the deadline: an end without `timedOut` was in time. */
function linuxEnd(native: NativeEnd): ProcessEnd {
  const end = processEnd(native)
  return end.kind === 'failed' ? end : { timedOut: false, ...end }
}

function spawn(addon: Addon, request: LaunchRequest) {
  const { stdin, terminal, deadline } = request
  const confinement = landlock(request)
  return addon.spawn(
    request.candidates.join('\0'),
    request.argv.join('\0'),
    environmentBlock(request.environment),
    request.cwd,
    confinement ? placesOf(confinement) : '',
    stdin === null ? stdinNull : stdin === 'pipe' ? stdinPipe : stdin,
    flagsOf(request.merged, confinement) | (request.state ? flag.state : 0),
    confinement?.abi ?? 0,
    request.limits ? limitsOf(request.limits) : undefined,
    terminal ? terminal.columns * 0x10000 + terminal.rows : undefined,
    Math.ceil(deadline.timeoutMs),
    deadline.graceMs,
  )
}

/** Each string after the letter of its kind: native/core.h, vt_place_kind. */
function placesOf({ writable, sockets, reads }: LandlockConfinement): string {
  const { readable, unreadable, names } = reads
  const kinds: readonly (readonly [string, readonly string[]])[] = [
    ['w', writable],
    ['x', sockets],
    ['r', readable ? [readable.workspace, ...readable.others] : []],
    ['u', unreadable],
    ['s', names ? [names.beneath] : []],
    ['n', names?.patterns ?? []],
    ['e', names?.except ?? []],
    ['k', names?.skip ?? []],
  ]
  return kinds.flatMap(([letter, texts]) => texts.map((text) => letter + text)).join('\0')
}

/** In the order of native/core.h, vt_limits. */
function limitsOf(limits: Limits): Float64Array {
  const { memoryBytes, cpuSeconds, processes, openFiles, privateTmpBytes } = limits
  return Float64Array.of(memoryBytes, cpuSeconds, processes, openFiles, privateTmpBytes)
}

function landlock({ confinement }: LaunchRequest): LandlockConfinement | null {
  if (confinement && confinement.kind !== 'landlock')
    throw new Error(`the native launcher cannot confine by ${confinement.kind}`)
  return confinement
}

function flagsOf(merged: boolean, confinement: LandlockConfinement | null): number {
  const how = merged ? flag.merged : 0
  if (!confinement) return how
  return (
    how |
    flag.confined |
    (confinement.network ? flag.network : 0) |
    (confinement.listener ? flag.listener : 0) |
    (confinement.report ? flag.report : 0)
  )
}

/** Commands share environments, so each is encoded once. */
const blocks = new WeakMap<object, Uint8Array>()

export function environmentBlock(environment: Readonly<Record<string, string>>): Uint8Array {
  const known = blocks.get(environment)
  if (known) return known
  const block = Buffer.from(
    Object.entries(environment)
      .map(([name, value]) => `${name}=${value}`)
      .join('\0'),
  )
  blocks.set(environment, block)
  return block
}

function launched(addon: Addon, id: number, stdin: number): LaunchedProcess {
  return {
    stdin: stdin < 0 ? null : stdinStream(stdin),
    signal: (name) => addon.signal(id, constants.signals[name]),
    terminate: (atDeadline) => addon.terminate(id, atDeadline),
    destroy: () => addon.kill(id),
    resize: (columns, rows) => addon.resize(id, columns, rows),
    consumed: batched((bytes) => addon.consumed(id, bytes)),
  }
}

/** Every call wakes the supervisor; its window of 1 MiB allows to call it rarely. */
const batchBytes = 128 * 1024

export function batched(say: (bytes: number) => void): (bytes: number) => void {
  let unsaid = 0
  return (bytes) => {
    unsaid += bytes
    if (unsaid < batchBytes) return
    say(unsaid)
    unsaid = 0
  }
}

/** All of the state must arrive before the end: reads what no event has delivered by then. */
function withState(fd: number, events: LaunchEvents): LaunchEvents {
  const { Socket } = process.getBuiltinModule('node:net')
  const pipe = new Socket({ fd, readable: true, writable: false })
  const take = (chunk: Buffer) => events.state?.(chunk)
  pipe.on('data', take)
  return {
    output: (stream, chunk) => events.output(stream, chunk),
    started: () => events.started(),
    end: (end) => {
      if (!pipe.destroyed) readRest(fd, take)
      pipe.destroy()
      events.end(end)
    },
  }
}

function readRest(fd: number, take: (chunk: Buffer) => void): void {
  const chunk = Buffer.alloc(65536)
  try {
    for (let length = readSync(fd, chunk); length > 0; length = readSync(fd, chunk))
      take(Buffer.from(chunk.subarray(0, length)))
  } catch (error) {
    // EAGAIN: a surviving process holds the pipe open, and the pipe is empty.
    if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error
  }
}

function stdinStream(fd: number): Writable {
  // Loaded late: few commands are given input, and sockets take time to load.
  const { Socket } = process.getBuiltinModule('node:net')
  const stream = new Socket({ fd, readable: false, writable: true })
  // EPIPE: the command may end or close its input without reading all of it.
  stream.on('error', () => stream.destroy())
  return stream
}

export function neverStarted(
  failure: NativeFailure,
  events: LaunchEvents,
  endOf = processEnd,
): LaunchedProcess {
  queueMicrotask(() => events.end(endOf(failure)))
  const nothing = () => {}
  return { stdin: null, signal: nothing, terminate: nothing, destroy: nothing, consumed: nothing }
}

/** @param nameOf names the error of a failed step */
export function processEnd(
  end: NativeEnd,
  nameOf: (failure: NativeFailure) => string = ({ errno }) => errnoName(errno),
): ProcessEnd {
  if ('failedStep' in end) return { kind: 'failed', step: end.failedStep, errno: nameOf(end) }
  const ran = {
    survivors: { killed: end.killed, alive: end.alive, group: end.group },
    denials: end.denials,
    ...(end.unsearched && { unsearched: end.unsearched }),
    ...(end.timedOut && { timedOut: end.timedOut }),
    ...(end.limited && { limited: end.limited }),
  }
  if (end.signal === 0) return { kind: 'exited', code: end.code, ...ran }
  const signal = signalNames.get(end.signal) ?? (`SIG${end.signal}` as NodeJS.Signals)
  return { kind: 'signalled', signal, ...ran }
}
