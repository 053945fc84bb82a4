import { isBeneath } from '../base/paths.ts'
import type { Environment } from '../base/types.ts'
import type { LoadedConfig } from '../config/load.ts'
import type { Config } from '../config/schema.ts'
import { dockerLauncher } from '../launch/docker.ts'
import { otherPlatform, ownImage } from '../messages/docker.ts'
import { unavailable, VitrineError } from '../messages/error.ts'
import { posixShell } from '../request/interpreter.ts'
import { answered, whereIs } from '../request/lookup.ts'
import { dockerSandbox, openDocker } from '../sandbox/docker/open.ts'
import { bytesOf } from '../sandbox/docker/spec.ts'
import type { Equipment, Host } from './host.ts'
import { workspaceOf } from './workspace.ts'

interface DockerShell {
  readonly loaded: LoadedConfig
  readonly cwd: string
  readonly env: Environment
  readonly network: boolean
  readonly workspace: string | undefined
}

/** Throws SANDBOX_UNAVAILABLE. */
export async function equipDocker(host: Host, shell: DockerShell): Promise<Equipment> {
  const { loaded, cwd, env, network } = shell
  const { config } = loaded
  const { platform, name = platform } = host
  if (platform !== 'linux' && platform !== 'macos')
    throw unavailable({ for: 'docker', ...otherPlatform(name) })
  const { workspace } = workspaceOf({ cwd, env, named: shell.workspace })
  const settings = settingsOf(config, network)
  const opened = await openDocker({ env, workspace, docker: config.docker, settings })
  const { containers, places, hasSeccomp } = opened
  return {
    platform,
    place: 'container',
    sandbox: dockerSandbox({
      ...settings,
      places,
      hasSeccomp,
      inside: () => containers.inside(),
      close: () => containers.close(),
    }),
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
