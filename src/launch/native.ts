import { constants } from 'node:os'
import type { Writable } from 'node:stream'
import { errnoName } from '../base/errno.ts'
import { noticedNames } from '../base/obeyed-names.ts'
import { limitsNote, withoutSessions } from '../messages/limits.ts'
import { cannotConfine, type LandlockConfinement, type Probe } from '../sandbox/sandbox.ts'
import type { Addon, NativeEnd, NativeFailure, Spawned, SpawnRecord } from './addon.ts'
import {
  type LaunchedProcess,
  type Launcher,
  type LaunchRequest,
  type LimitHolder,
  neverStarted,
  type ProcessEnd,
  takeState,
} from './launch.ts'

/** A number's usual name comes first (SIGABRT before SIGIOT, SIGIO before SIGPOLL): reversed, it wins. */
const signalNames = new Map(
  Object.entries(constants.signals)
    .reverse()
    .map(([name, number]) => [number, name as NodeJS.Signals]),
)

/** By the addon: clone, confinement and exec in native code; its supervisor reports output and end. */
export function nativeLauncher(addon: Addon, probe: Probe): Launcher {
  return {
    name: 'native',
    terminals: true,
    limits: linuxLimits(probe),
    sessions: true,
    launch(request, events) {
      const confinement = landlock(request)
      if (confinement?.changes) addon.noticeNames(noticedNames)
      const asked = (number: number, path: string) => {
        const answer = (yes: boolean) => spawned.kind === 'queued' && addon.answer(spawned.id, number, yes)
        if (events.asked) events.asked(path, answer)
        else answer(false)
      }
      const spawned = addon.spawn(recordOf(request, confinement), (event) => {
        if (event.kind === 'output') events.output(event.stream, event.bytes)
        else if (event.kind === 'started') events.started()
        else if (event.kind === 'listening') events.listens?.(event.port)
        else if (event.kind === 'asked') asked(event.number, event.path)
        else if (event.kind !== 'written') events.end(linuxEnd(event))
      })
      if (spawned.kind === 'failed') return neverStarted(processEnd(spawned), events)
      return launched(addon, spawned)
    },
  }
}

/** Always by the monitor, and by a cgroup per command where the system delegates one. */
export function linuxLimits({
  cgroup,
  cgroupMissing,
  sessions,
}: Pick<Probe, 'cgroup' | 'cgroupMissing' | 'sessions'>): LimitHolder {
  if (!sessions) return withoutSessions
  const by = cgroup === '' ? 'rlimit+watch' : 'cgroup+rlimit+watch'
  return { by, note: limitsNote(cgroup, cgroupMissing) }
}

/** The supervisor keeps the deadline: an end without `timedOut` was in time. */
function linuxEnd(native: NativeEnd): ProcessEnd {
  const end = processEnd(native)
  return end.kind === 'failed' ? end : { timedOut: false, ...end }
}

/** The record for the addon. The confinement is the one that the launcher of this system has checked. */
export function recordOf(request: LaunchRequest, confinement: SpawnRecord['confinement']): SpawnRecord {
  const { candidates, argv, environment, cwd, stdin, merged, keepsState, tellsStart } = request
  const { terminal, limits, deadline } = request
  const { timeoutMs, graceMs } = deadline
  return {
    candidates,
    argv,
    // No name or value has a NUL: requests and configurations with one are refused, and no process has one.
    env: Object.entries(environment)
      .map(([name, value]) => `${name}=${value}`)
      .join('\0'),
    cwd,
    stdin,
    merged,
    keepsState: keepsState === true,
    tellsStart,
    terminal,
    limits,
    deadline: { timeoutMs: timeoutMs === Infinity ? 0 : Math.ceil(timeoutMs), graceMs },
    confinement,
  }
}

function landlock({ confinement }: Pick<LaunchRequest, 'confinement'>): LandlockConfinement | null {
  if (confinement && confinement.kind !== 'landlock') throw cannotConfine('native', confinement.kind)
  return confinement
}

function launched(addon: Addon, { id, stdin, state }: Spawned): LaunchedProcess {
  return {
    stdin: stdin < 0 ? null : stdinStream(stdin),
    signal: (name) => addon.signal(id, constants.signals[name]),
    terminate: (atDeadline) => addon.terminate(id, atDeadline),
    destroy: () => addon.kill(id),
    resize: (columns, rows) => addon.resize(id, columns, rows),
    consumed: batched((bytes) => addon.consumed(id, bytes)),
    ...(state >= 0 && { state: () => takeState(state) }),
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

function stdinStream(fd: number): Writable {
  // Loaded late: few commands are given input, and sockets take time to load.
  const { Socket } = process.getBuiltinModule('node:net')
  const stream = new Socket({ fd, readable: false, writable: true })
  // EPIPE: the command may end or close its input without reading all of it.
  stream.on('error', () => stream.destroy())
  return stream
}

/** @param nameOf names the error of a failed step */
export function processEnd(
  end: NativeEnd,
  nameOf: (failure: NativeFailure) => string = ({ errno }) => errnoName(errno),
): ProcessEnd {
  if (end.kind === 'failed') return { kind: 'failed', step: end.step, errno: nameOf(end) }
  const { kind: _, code, signal: number, ...ran } = end
  if (number === 0) return { kind: 'exited', code, ...ran }
  const signal = signalNames.get(number) ?? (`SIG${number}` as NodeJS.Signals)
  return { kind: 'signalled', signal, ...ran }
}
