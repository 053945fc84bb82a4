import { stat } from 'node:fs/promises'
import { isBeneath } from '../base/paths.ts'
import type { Environment } from '../base/types.ts'
import type { LoadedConfig } from '../config/load.ts'
import type { Config } from '../config/schema.ts'
import { dockerLauncher } from '../launch/docker.ts'
import { VitrineError } from '../messages/error.ts'
import { posixShell } from '../request/interpreter.ts'
import { answered, whereIs } from '../request/lookup.ts'
import { Containers } from '../sandbox/docker/containers.ts'
import { type Engine, refusalOf } from '../sandbox/docker/engine.ts'
import { inspectImage, ownImage, ownMounts } from '../sandbox/docker/image.ts'
import { removeLeftOver } from '../sandbox/docker/left-over.ts'
import { type Mount, placesOf, readUserMounts } from '../sandbox/docker/mounts.ts'
import { reachEngine } from '../sandbox/docker/reach.ts'
import { dockerSandbox } from '../sandbox/docker/sandbox.ts'
import type { ContainerUser } from '../sandbox/docker/spec.ts'
import type { Equipment, Host } from './host.ts'
import { workspaceOf } from './workspace.ts'

interface DockerShell {
  readonly loaded: LoadedConfig
  readonly cwd: string
  readonly env: Environment
  readonly network: boolean
  readonly workspace: string | undefined
}

/** Removes containers of hosts that are gone. Starts none. Throws SANDBOX_UNAVAILABLE. */
export async function equipDocker(
  { platform, name = platform }: Host,
  shell: DockerShell,
): Promise<Equipment> {
  const { loaded, cwd, env } = shell
  if (platform !== 'linux' && platform !== 'macos') throw otherPlatform(name)
  const { workspace } = workspaceOf({ cwd, env, named: shell.workspace })
  const settings = settingsOf(loaded.config, shell.network)
  const engine = await reachEngine(env)
  const places = placesOf(workspace, engine.socketPath)
  const { mounts, user: named } = loaded.config.docker
  const listed = readUserMounts(mounts, env)
  const [info, image] = await Promise.all([engineInfo(engine), inspectImage(engine, settings.image)])
  if (image === undefined) throw imageMissing(settings.image)
  const user = await userOf(info.isRootless, named, workspace)
  const isFree = ({ target }: Mount) => !listed.some((mount) => mount.target === target)
  const own = (await ownMounts(user, env)).filter(isFree)
  // A failed removal does not prevent commands; "vitrine docker clean" reports it.
  void removeLeftOver(engine).catch(() => {})
  const containers = new Containers({ engine, settings, user, image, places, mounts: [...listed, ...own] })
  return {
    platform,
    place: 'container',
    sandbox: dockerSandbox({ ...settings, ...info, places, containers }),
    launcher: dockerLauncher(containers),
    interpreter: posixShell(),
    interpreterFor: posixShell,
    async directoryThere(path) {
      // Unchanged if the lookup fails: later steps report that the directory cannot be entered.
      const real = await answered(() => whereIs(path)).catch(() => path)
      if (places.some((place) => isBeneath(real, place))) return real
      throw new VitrineError({ code: 'INVALID_REQUEST', problem: { kind: 'cwd-outside', path, workspace } })
    },
  }
}

/** `[shell] network = true`: the engine's default one. */
function settingsOf({ docker, limits }: Config, network: boolean) {
  return {
    image: docker.image === '' ? ownImage : docker.image,
    network: network ? 'bridge' : 'none',
    memory: bytesOf(docker.memory),
    privateTmpBytes: limits.private_tmp_bytes,
  }
}

const units: Readonly<Record<string, number>> = { b: 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3 }

/** `512m` as for `docker run --memory`; without a unit, bytes. */
function bytesOf(size: string): number {
  const unit = size.at(-1)?.toLowerCase() ?? ''
  return Number.parseInt(size, 10) * (units[unit] ?? 1)
}

function otherPlatform(platform: string): VitrineError {
  return refusalOf({
    wanted: 'paths that a Linux container can use',
    got: platform,
    remedy: 'run vitrine on Linux or macOS, or in WSL',
  })
}

function imageMissing(image: string): VitrineError {
  return refusalOf({
    wanted: `the image ${image}`,
    got: 'the engine does not have it, and vitrine pulls nothing on its own',
    remedy: image === ownImage ? 'run "vitrine docker build"' : `run "docker pull ${image}", or build it`,
  })
}

/**
 * `[docker] user`: an id, the workspace's owner, or this process's user. A rootless engine's root is its own
 * user, every other id a different one of the host.
 */
async function userOf(isRootless: boolean, named: string, workspace: string): Promise<ContainerUser> {
  const [uid, gid = uid] = named.split(':').map(Number)
  if (uid !== undefined && gid !== undefined && /^\d/.test(named)) return { uid, gid, groups: [] }
  if (isRootless) return { uid: 0, gid: 0, groups: [] }
  if (named === 'owner') {
    const owner = await stat(workspace)
    return { uid: owner.uid, gid: owner.gid, groups: [] }
  }
  return {
    uid: process.getuid?.() ?? 0,
    gid: process.getgid?.() ?? 0,
    groups: process.getgroups?.() ?? [],
  }
}

interface Info {
  readonly SecurityOptions?: readonly string[] | null
  /** Podman's own field; before 4.6 it has no security option for it. */
  readonly Rootless?: boolean
}

/** Throws EngineError. */
export async function engineInfo(engine: Engine) {
  const { SecurityOptions, Rootless } = await engine.call<Info>({ method: 'GET', path: '/info' })
  const has = (pattern: RegExp) => (SecurityOptions ?? []).some((option) => pattern.test(option))
  return {
    isRootless: Rootless === true || has(/^name=rootless\b/),
    /** It applies its default seccomp profile. */
    hasSeccomp: has(/^name=seccomp,profile=(default|builtin)$/),
  }
}
