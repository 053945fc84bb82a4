import type { LoadedConfig } from './config/load.ts'
import type { Config } from './config/schema.ts'
import { VitrineError } from './errors.ts'
import { Look, type Looker } from './facts/look.ts'
import { type Equipment, type Host, lookerOf } from './host.ts'
import { dockerLauncher } from './launch/docker.ts'
import { workspaceOf } from './reading.ts'
import { posixShell } from './request/interpreter.ts'
import { otherPlatform, ownImage } from './result/explain-docker.ts'
import { isShown, openDocker } from './sandbox/docker/open.ts'
import { dockerSandbox } from './sandbox/docker/sandbox.ts'
import { bytesOf } from './sandbox/docker/spec.ts'

/** What the shell that is opened asks of its backend. */
export interface DockerShell {
  readonly loaded: LoadedConfig
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
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
  const opened = await openDocker({ env, startCommand, workspace, settings })
  const { containers, places } = opened
  const looker = await lookerOf(host)
  return {
    platform,
    place: 'container',
    sandbox: dockerSandbox({ ...settings, close: () => containers.close() }),
    launcher: dockerLauncher(containers),
    interpreter: posixShell,
    looker,
    async directoryThere(path) {
      const real = await realPathOf(path, looker)
      if (isShown(real, places)) return real
      throw new VitrineError({ code: 'INVALID_REQUEST', problem: { kind: 'cwd-outside', path, workspace } })
    },
  }
}

/** As it was given where it cannot be looked up: then it is told by whoever looks whether it can be entered. */
async function realPathOf(path: string, looker: Looker): Promise<string> {
  const [answer] = await new Look(looker).ask([{ kind: 'where', path }])
  return answer && 'found' in answer ? answer.found.replace('\0', '') : path
}

/** `network = true` wants one, whichever: without a name it is the engine's default one. */
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
