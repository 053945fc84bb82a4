import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { VitrineError } from '../../errors.ts'
import { engineMissing, remoteEngine, startFailed } from '../../result/explain-docker.ts'
import { Engine, type EngineError, isEngineError } from './engine.ts'

type Variables = Readonly<Record<string, string | undefined>>

/** How an engine is reached. */
export interface Reach {
  /** The caller's environment: DOCKER_HOST, XDG_RUNTIME_DIR, HOME. */
  readonly env: Variables
  /** `[docker] start_command`; empty: none. */
  readonly startCommand: string
}

/** What a start command may take until the engine answers. */
const startMs = 30_000
const everyMs = 100

/** The engine, started by the start command where it is not there. Throws SANDBOX_UNAVAILABLE. */
export async function reachEngine({ env, startCommand }: Reach): Promise<Engine> {
  const socketPath = socketOf(env)
  try {
    return await Engine.connect(socketPath)
  } catch (error) {
    if (!isEngineError(error)) throw error
    if (startCommand === '' || !isDown(error)) throw unreachable(socketPath, error)
    return startedEngine(socketPath, startCommand)
  }
}

/** Where the engine listens. Throws SANDBOX_UNAVAILABLE for one that is not on this machine. */
export function socketOf(env: Variables): string {
  const named = env['DOCKER_HOST'] ?? ''
  if (named.startsWith('unix://')) return named.slice('unix://'.length)
  if (named !== '')
    throw new VitrineError({ code: 'SANDBOX_UNAVAILABLE', for: 'docker', ...remoteEngine(named) })
  const usual = '/var/run/docker.sock'
  // Of a rootless engine, of Docker Desktop: docs.docker.com, "Daemon socket option", "Docker Desktop for Mac: sockets".
  const others = [
    env['XDG_RUNTIME_DIR'] ?? '/nonexistent',
    join(env['HOME'] ?? '/nonexistent', '.docker/run'),
  ]
  return [usual, ...others.map((directory) => join(directory, 'docker.sock'))].find(existsSync) ?? usual
}

/** Nobody listens. An engine that answers otherwise, or is not for us, is not started once more. */
function isDown({ reason }: EngineError): boolean {
  return reason === 'ENOENT' || reason === 'ECONNREFUSED'
}

function unreachable(socketPath: string, { reason, message }: EngineError): VitrineError {
  return new VitrineError({
    code: 'SANDBOX_UNAVAILABLE',
    for: 'docker',
    ...engineMissing(socketPath, reason, message),
  })
}

/** One start for all shells of the process that wait for it. */
const starting = new Map<string, Promise<Engine>>()

function startedEngine(socketPath: string, command: string): Promise<Engine> {
  const known = starting.get(socketPath)
  if (known) return known
  const started = startEngine(socketPath, command).finally(() => starting.delete(socketPath))
  starting.set(socketPath, started)
  return started
}

/** Runs the command, which may stay (a daemon) or end, and waits until somebody answers. */
async function startEngine(socketPath: string, command: string): Promise<Engine> {
  let failed: string | undefined
  // In a session of its own: an engine is not to end with this process.
  const child = spawn('/bin/sh', ['-c', command], { detached: true, stdio: 'ignore' })
  child.unref()
  child.once('error', ({ message }) => {
    failed = message
  })
  child.once('exit', (code, signal) => {
    if (code !== 0) failed = signal ?? `exit code ${code}`
  })
  const until = Date.now() + startMs
  while (failed === undefined && Date.now() < until) {
    await sleep(everyMs)
    try {
      return await Engine.connect(socketPath, 2000)
    } catch (error) {
      if (!isEngineError(error)) throw error
    }
  }
  const got = failed ?? `no engine at ${socketPath} after ${startMs / 1000} seconds`
  throw new VitrineError({ code: 'SANDBOX_UNAVAILABLE', for: 'docker', ...startFailed(command, got) })
}
