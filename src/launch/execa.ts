import type { Readable } from 'node:stream'
import type { LaunchEvents, LaunchedProcess, Launcher, LaunchRequest, ProcessEnd, Stream } from './launch.ts'

/** Bytes handed out and not yet taken back, above which reading stops. */
const windowBytes = 1024 * 1024
/** After the leader's end output is awaited for this much silence, and at most this long. */
const silenceMs = 50
const drainMs = 250

type Execa = typeof import('execa')
type Child = ReturnType<Execa['execa']>

/** Starts processes with execa: where no addon loads. Confines nothing, so it refuses what asks for confinement. */
export async function execaLauncher(): Promise<Launcher> {
  const { execa } = await import('execa')
  return {
    name: 'execa',
    launch(request, events) {
      if (request.confinement) throw new Error('the execa launcher cannot confine')
      return supervised(start(execa, request), request, events)
    },
  }
}

function start(execa: Execa['execa'], request: LaunchRequest): Child {
  const [name = '', ...rest] = request.argv
  const file = request.candidates.length === 1 ? (request.candidates[0] ?? name) : name
  // One pipe for both streams needs a shell to join them: Node gives each descriptor a pipe of its own.
  const [program, args] = request.merged
    ? ['/bin/sh', ['-c', 'exec "$0" "$@" 2>&1', file, ...rest]]
    : [file, rest]
  return execa(program, args, {
    argv0: request.merged ? 'sh' : name,
    cwd: request.cwd,
    env: request.environment,
    extendEnv: false,
    detached: true,
    cleanup: true,
    buffer: false,
    reject: false,
    stripFinalNewline: false,
    stdin: request.stdin === null ? 'ignore' : request.stdin === 'pipe' ? 'pipe' : [request.stdin],
  } as never) as Child
}

function supervised(child: Child, request: LaunchRequest, events: LaunchEvents): LaunchedProcess {
  const flow = flowControl(child)
  let lastByte = 0
  for (const stream of ['stdout', 'stderr'] as const)
    child[stream]?.on('data', (chunk: Buffer) => {
      lastByte = Date.now()
      flow.handedOut(chunk.length)
      events.output(stream, chunk)
    })
  let killed = false
  endOf(child, () => lastByte).then((end) => events.end(killed ? withKilled(end) : end))
  const group = (signal: NodeJS.Signals) => signalGroup(child.pid, signal)
  return {
    stdin: request.stdin === 'pipe' ? (child.stdin ?? null) : null,
    signal: group,
    terminate: () => ['SIGTERM', 'SIGCONT'].forEach((signal) => void group(signal as NodeJS.Signals)),
    destroy: () => {
      killed = group('SIGKILL')
    },
    consumed: flow.consumed,
  }
}

function withKilled(end: ProcessEnd): ProcessEnd {
  return end.kind === 'failed' ? end : { ...end, survivors: { ...end.survivors, alive: 0 } }
}

/** Stops reading while the owner does not keep up. */
function flowControl(child: Child) {
  const pipes = (): Readable[] =>
    [child.stdout, child.stderr].filter((pipe) => pipe !== null && pipe !== undefined)
  let open = 0
  return {
    handedOut(bytes: number) {
      open += bytes
      if (open > windowBytes) for (const pipe of pipes()) pipe.pause()
    },
    consumed(bytes: number) {
      open -= bytes
      if (open <= windowBytes / 2) for (const pipe of pipes()) pipe.resume()
    },
  }
}

/** The end comes when the leader has ended and its output has, or has been silent: a child that holds the pipe delays nothing. */
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
  if (exit.signal) return { kind: 'signalled', signal: exit.signal, survivors }
  return { kind: 'exited', code: exit.code ?? 0, survivors }
}

async function drained(child: Child, lastByte: () => number): Promise<void> {
  const since = Date.now()
  const open = () => streamsOf(child).some((pipe) => !pipe.readableEnded && !pipe.destroyed)
  while (open() && Date.now() - Math.max(since, lastByte()) < silenceMs && Date.now() - since < drainMs)
    await new Promise((resolve) => setTimeout(resolve, 5))
}

function streamsOf(child: Child): Readable[] {
  const names: Stream[] = ['stdout', 'stderr']
  return names
    .map((name) => child[name])
    .filter((pipe): pipe is Readable => pipe !== null && pipe !== undefined)
}

/** Whether there was a group to signal. */
function signalGroup(pid: number | undefined, signal: NodeJS.Signals | 0): boolean {
  if (pid === undefined) return false
  try {
    process.kill(-pid, signal)
    return true
  } catch (error) {
    // ESRCH: nobody is left in the group. EPERM: somebody is, and he is not ours.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
