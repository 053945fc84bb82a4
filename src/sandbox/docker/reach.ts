import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { tried } from '../../base/errno.ts'
import { baseDirectory, homeOf } from '../../base/paths.ts'
import type { Environment } from '../../base/types.ts'
import { contextUnknown, engineMissing, engineProblems, remoteEngine } from '../../messages/docker.ts'
import { Engine, EngineError, engineTried, isDown, isEngineError, refusalOf } from './engine.ts'

const pingMs = 5000

/** The first engine that answers. Throws SANDBOX_UNAVAILABLE. */
export async function reachEngine(env: Environment): Promise<Engine> {
  const sockets = engineSockets(env)
  const answer = await firstAnswer(sockets, pingMs)
  if (!isEngineError(answer)) return answer
  const [{ path }] = sockets as readonly [EngineSocket]
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

interface EngineSocket {
  /** What named it, or the engine that usually listens there. */
  readonly name: string
  readonly path: string
}

/** The one of DOCKER_HOST or a context, else those that exist. SANDBOX_UNAVAILABLE for a remote one. */
export function engineSockets(env: Environment): readonly EngineSocket[] {
  const host = env['DOCKER_HOST'] ?? ''
  if (host !== '') return [named('DOCKER_HOST', host)]
  const context = contextOf(env)
  return context ? [named(`context "${context.name}"`, context.host)] : usualSockets(env)
}

/** Without a path it is the usual socket, as for docker(1). */
function named(name: string, host: string): EngineSocket {
  if (!host.startsWith('unix://')) throw refusalOf(remoteEngine(`${name} = ${host}`))
  return { name, path: host.slice('unix://'.length) || usualSocket }
}

/** docker(1): DOCKER_CONTEXT, else `currentContext` of the client's configuration, else the default. */
function contextOf(env: Environment): { readonly name: string; readonly host: string } | undefined {
  const directory = env['DOCKER_CONFIG'] || join(homeOf(env), '.docker')
  const name = env['DOCKER_CONTEXT'] || textAt(readJson(join(directory, 'config.json')), 'currentContext')
  if (name === undefined || name === 'default') return undefined
  const id = createHash('sha256').update(name).digest('hex')
  const file = join(directory, 'contexts/meta', id, 'meta.json')
  const host = textAt(readJson(file), 'Endpoints', 'docker', 'Host')
  if (host === undefined) throw refusalOf(contextUnknown(name, file))
  return { name, host }
}

function usualSockets(env: Environment): readonly EngineSocket[] {
  const home = homeOf(env)
  const runtime = env['XDG_RUNTIME_DIR'] || '/nonexistent'
  const config = baseDirectory(env, 'XDG_CONFIG_HOME')
  const usual: readonly (readonly [name: string, path: string])[] = [
    ['Docker', usualSocket],
    ['rootless Docker', join(runtime, 'docker.sock')],
    ['Docker Desktop', join(home, '.docker/run/docker.sock')],
    ['Docker Desktop', join(home, '.docker/desktop/docker.sock')],
    ['Colima', join(env['COLIMA_HOME'] || join(home, '.colima'), 'default/docker.sock')],
    ['Colima', join(config, 'colima/default/docker.sock')],
    ['rootless Podman', join(runtime, 'podman/podman.sock')],
    ['Podman', '/run/podman/podman.sock'],
    ['Podman machine', join(home, '.local/share/containers/podman/machine/podman.sock')],
  ]
  const found = usual.map(([name, path]) => ({ name, path })).filter(({ path }) => existsSync(path))
  return found.length > 0 ? found : [{ name: 'Docker', path: usualSocket }]
}

const usualSocket = '/var/run/docker.sock'

/** Undefined if the file is missing or not JSON: the docker client ignores it, too. */
function readJson(file: string): unknown {
  return tried(() => JSON.parse(readFileSync(file, 'utf8')))
}

function textAt(value: unknown, ...keys: readonly string[]): string | undefined {
  const found = keys.reduce<unknown>((at, key) => Object(at)[key], value)
  return typeof found === 'string' && found !== '' ? found : undefined
}
