import { spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathOutside } from '../../../base/paths.ts'
import type { Environment } from '../../../base/types.ts'
import { gitRoot } from '../../../config/files.ts'
import { engineMissing, engineProblems, startFailed } from '../../../messages/docker.ts'
import { isDown, refusalOf } from '../refusal.ts'
import { Engine, EngineError, engineTried, isEngineError } from './engine.ts'
import { type EngineSocket, engineSockets } from './sockets.ts'

export interface Reach {
  /** The caller's environment: DOCKER_HOST, DOCKER_CONTEXT, XDG_RUNTIME_DIR, HOME. */
  readonly env: Environment
  /** `[docker] start_command`; empty: none. */
  readonly startCommand: string
}

/** How long after the start command the engine has to answer. */
const startMs = 30_000
const everyMs = 100
const pingMs = 5000

/** The first engine that answers; if none does, runs the start command. Throws SANDBOX_UNAVAILABLE. */
export async function reachEngine({ env, startCommand }: Reach): Promise<Engine> {
  const sockets = engineSockets(env)
  const answer = await firstAnswer(sockets, pingMs)
  if (!isEngineError(answer)) return answer
  const [{ path }] = sockets as readonly [EngineSocket]
  // An engine that answers with an error, or denies this user access, is not started again.
  if (startCommand !== '' && isDown(answer)) return startedEngine(env, path, startCommand)
  throw refusalOf(engineMissing(path, answer.reason, answer.message))
}

export interface FoundSocket extends EngineSocket {
  /** The engine's API version; absent if none answers. */
  readonly api?: string
}

/** Throws SANDBOX_UNAVAILABLE. */
export function findEngines(env: Environment): Promise<readonly FoundSocket[]> {
  return Promise.all(
    engineSockets(env).map(async (socket) => {
      const answer = await answerAt(socket, pingMs)
      return isEngineError(answer) ? socket : { ...socket, api: answer.api }
    }),
  )
}

/** Tries the sockets in order. Returns the first engine, or the error of the first socket. */
async function firstAnswer(
  sockets: readonly EngineSocket[],
  timeoutMs: number,
): Promise<Engine | EngineError> {
  let first: EngineError | undefined
  for (const socket of sockets) {
    const answer = await answerAt(socket, timeoutMs)
    if (!isEngineError(answer) || !(isDown(answer) || answer.reason === 'EACCES')) return answer
    first ??= answer
  }
  return first ?? new EngineError(0, 'ENOENT', engineProblems.noSocket)
}

function answerAt({ path }: EngineSocket, timeoutMs: number): Promise<Engine | EngineError> {
  return engineTried(Engine.connect(path, timeoutMs))
}

/** Starts in progress, shared by all shells of this process. */
const starting = new Map<string, Promise<Engine>>()

function startedEngine(env: Environment, socketPath: string, command: string): Promise<Engine> {
  const known = starting.get(socketPath)
  if (known) return known
  const started = startEngine(env, socketPath, command).finally(() => starting.delete(socketPath))
  starting.set(socketPath, started)
  return started
}

/** Runs the command, which may stay (a daemon) or exit, and waits until an engine answers. */
async function startEngine(env: Environment, socketPath: string, command: string): Promise<Engine> {
  let failed: string | undefined
  // In a session of its own, so that the engine does not end with this process.
  const path = pathOutside(process.env['PATH'] ?? '', [gitRoot(process.cwd())])
  const child = spawn('/bin/sh', ['-c', command], {
    detached: true,
    stdio: 'ignore',
    env: { ...process.env, PATH: path },
  })
  child.unref()
  child.once('error', ({ message }) => {
    failed = message
  })
  child.once('exit', (code, signal) => {
    if (code !== 0) failed = signal ?? engineProblems.exitCode(code)
  })
  const until = Date.now() + startMs
  while (failed === undefined && Date.now() < until) {
    await sleep(everyMs)
    const answer = await firstAnswer(engineSockets(env), 2000)
    if (!isEngineError(answer)) return answer
  }
  const got = failed ?? engineProblems.notStarted(socketPath, startMs / 1000)
  throw refusalOf(startFailed(command, got))
}
