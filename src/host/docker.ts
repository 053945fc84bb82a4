import { setTimeout as sleep } from 'node:timers/promises'
import type { Environment } from '../base/types.ts'
import type { LoadedConfig } from '../config/load.ts'
import type { Config } from '../config/schema.ts'
import { Lookup, type PathLookup } from '../facts/lookup.ts'
import { dockerLauncher } from '../launch/docker.ts'
import { type DockerWords, engineLate, otherPlatform, ownImage } from '../messages/docker.ts'
import { isVitrineError, VitrineError } from '../messages/error.ts'
import { callsDocker } from '../policy/command/calls-docker.ts'
import { posixShell } from '../request/interpreter.ts'
import type { CompleteRequest } from '../request/request.ts'
import { reachEngine } from '../sandbox/docker/engine/reach.ts'
import { engineSockets } from '../sandbox/docker/engine/sockets.ts'
import { isShown, openDocker } from '../sandbox/docker/open.ts'
import { dockerSandbox } from '../sandbox/docker/sandbox.ts'
import { bytesOf } from '../sandbox/docker/spec.ts'
import { type Equipment, type Host, pathLookupOf } from './host.ts'
import { workspaceOf } from './readable.ts'

export interface DockerShell {
  readonly loaded: LoadedConfig
  readonly cwd: string
  readonly env: Environment
  readonly network: boolean
}

/** Equips a shell whose commands run in containers. Throws SANDBOX_UNAVAILABLE. */
export async function equipDocker(host: Host, shell: DockerShell): Promise<Equipment> {
  const { loaded, cwd, env, network } = shell
  const { config } = loaded
  const { platform, name = platform } = host
  if (platform !== 'linux' && platform !== 'macos')
    throw new VitrineError({ code: 'SANDBOX_UNAVAILABLE', for: 'docker', ...otherPlatform(name) })
  const { workspace } = workspaceOf(loaded, cwd)
  const settings = settingsOf(config, network)
  const startCommand = config.docker.start_command
  const opened = await openDocker({ env, startCommand, workspace, docker: config.docker, settings })
  const { containers, places } = opened
  const pathLookup = await pathLookupOf(host)
  return {
    platform,
    place: 'container',
    sandbox: dockerSandbox({ ...settings, close: () => containers.close() }),
    launcher: dockerLauncher(containers),
    interpreter: posixShell,
    pathLookup,
    async directoryThere(path) {
      const real = await realPathOf(path, pathLookup)
      if (isShown(real, places)) return real
      throw new VitrineError({ code: 'INVALID_REQUEST', problem: { kind: 'cwd-outside', path, workspace } })
    },
  }
}

/** Unchanged if the lookup fails: later steps report that the directory cannot be entered. */
async function realPathOf(path: string, pathLookup: PathLookup): Promise<string> {
  const [answer] = await new Lookup(pathLookup).ask([{ kind: 'where', path }])
  return answer && 'found' in answer ? answer.found.replace('\0', '') : path
}

/** `network = true` asks for any network: if `[docker] network` is "none", the engine's default one. */
function settingsOf({ docker, limits }: Config, network: boolean) {
  return {
    image: docker.image === '' ? ownImage : docker.image,
    network: network && docker.network === 'none' ? 'bridge' : docker.network,
    memory: bytesOf(docker.memory),
    cpus: docker.cpus,
    pids: docker.pids,
    writableRoot: docker.writable_root,
    privateTmpBytes: limits.private_tmp_bytes,
  }
}

export interface Readiness {
  readonly env: Environment
  readonly docker: Config['docker']
  readonly signal: AbortSignal | undefined
}

/**
 * Before a command that calls the Docker client: runs the start command if no engine answers, and waits until
 * one does. Throws SANDBOX_UNAVAILABLE if none answers before the command's deadline, or the signal's reason
 * if aborted.
 */
export async function engineReady({ work, timeoutMs }: CompleteRequest, readiness: Readiness): Promise<void> {
  if (!callsDocker(work) || !isLocal(readiness.env)) return
  const over = new AbortController()
  const late = sleep(timeoutMs, undefined, { signal: over.signal }).then(() => {
    throw needed(engineLate(timeoutMs))
  })
  const aborted = new Promise<never>((_, reject) => {
    const { signal } = readiness
    signal?.addEventListener('abort', () => reject(signal.reason), { signal: over.signal })
  })
  try {
    const { env, docker } = readiness
    await Promise.race([reachEngine({ env, startCommand: docker.start_command }), late, aborted])
  } catch (error) {
    if (isVitrineError(error) && error.refusal.code === 'SANDBOX_UNAVAILABLE') throw needed(error.refusal)
    throw error
  } finally {
    over.abort()
    late.catch(() => {}) // its rejection is not needed any more
  }
}

/** A remote engine is not started from here: the client reports what is wrong. */
function isLocal(env: Readiness['env']): boolean {
  try {
    return engineSockets(env).length > 0
  } catch (error) {
    if (isVitrineError(error)) return false
    throw error
  }
}

function needed({ wanted, got, remedy }: DockerWords): VitrineError {
  return new VitrineError({ code: 'SANDBOX_UNAVAILABLE', for: 'engine', wanted, got, remedy })
}
