import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { tried } from '../../base/errno.ts'
import { baseDirectory, homeOf } from '../../base/paths.ts'
import type { Environment } from '../../base/types.ts'
import { Engine, engineMissing, engineTried, isEngineError, refusalOf } from './engine.ts'

interface EngineSocket {
  /** What named it, or the engine that usually listens there. */
  readonly name: string
  readonly path: string
}

/** The first engine that answers. Throws SANDBOX_UNAVAILABLE. */
export async function reachEngine(env: Environment): Promise<Engine> {
  const errors: unknown[] = []
  for (const { path } of engineSockets(env)) {
    const answer = await engineTried(Engine.connect(path))
    if (!isEngineError(answer)) return answer
    errors.push(answer)
  }
  throw errors[0]
}

export interface FoundSocket extends EngineSocket {
  /** The engine's API version; absent if none answers. */
  readonly api?: string
}

/** Throws SANDBOX_UNAVAILABLE. */
export function findEngines(env: Environment): Promise<readonly FoundSocket[]> {
  return Promise.all(
    engineSockets(env).map(async (socket) => {
      const answer = await engineTried(Engine.connect(socket.path))
      return isEngineError(answer) ? socket : { ...socket, api: answer.api }
    }),
  )
}

/** The one of DOCKER_HOST or a context, else those that exist. SANDBOX_UNAVAILABLE for a remote one. */
export function engineSockets(env: Environment): readonly EngineSocket[] {
  const host = env['DOCKER_HOST'] ?? ''
  return host === '' ? (contextSocket(env) ?? usualSockets(env)) : [named('DOCKER_HOST', host)]
}

/** Without a path it is the usual socket, as for docker(1). */
function named(name: string, host: string): EngineSocket {
  if (host.startsWith('unix://')) return { name, path: host.slice('unix://'.length) || usualSocket }
  throw refusalOf({
    wanted: 'a Docker engine on this machine, because vitrine cannot copy the workspace to another one',
    got: `${name} = ${host}`,
    remedy: 'name a unix socket in DOCKER_HOST (unix:///var/run/docker.sock), or use another context',
  })
}

/** docker(1): DOCKER_CONTEXT, else `currentContext` of the client's configuration, else the default. */
function contextSocket(env: Environment): readonly EngineSocket[] | undefined {
  const directory = env['DOCKER_CONFIG'] || join(homeOf(env), '.docker')
  const name = env['DOCKER_CONTEXT'] || textAt(readJson(join(directory, 'config.json')), 'currentContext')
  if (name === undefined || name === 'default') return undefined
  const id = createHash('sha256').update(name).digest('hex')
  const file = join(directory, 'contexts/meta', id, 'meta.json')
  const host = textAt(readJson(file), 'Endpoints', 'docker', 'Host')
  if (host === undefined) throw engineMissing(file, `the docker context "${name}" names no engine`)
  return [named(`context "${name}"`, host)]
}

function usualSockets(env: Environment): readonly EngineSocket[] {
  const home = homeOf(env)
  const runtime = env['XDG_RUNTIME_DIR'] || '/nonexistent'
  const config = baseDirectory(env, 'XDG_CONFIG_HOME')
  const usual: readonly EngineSocket[] = [
    { name: 'Docker', path: usualSocket },
    { name: 'rootless Docker', path: join(runtime, 'docker.sock') },
    { name: 'Docker Desktop', path: join(home, '.docker/run/docker.sock') },
    { name: 'Docker Desktop', path: join(home, '.docker/desktop/docker.sock') },
    { name: 'Colima', path: join(env['COLIMA_HOME'] || join(home, '.colima'), 'default/docker.sock') },
    { name: 'Colima', path: join(config, 'colima/default/docker.sock') },
    { name: 'rootless Podman', path: join(runtime, 'podman/podman.sock') },
    { name: 'Podman', path: '/run/podman/podman.sock' },
    { name: 'Podman machine', path: join(home, '.local/share/containers/podman/machine/podman.sock') },
  ]
  const found = usual.filter(({ path }) => existsSync(path))
  return found.length > 0 ? found : usual.slice(0, 1)
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
