import type { HintReader } from '../base/hint.ts'
import type { Unmet } from '../base/refusal.ts'
import { visible } from '../base/text.ts'
import { outputOnly, readableLocks } from './workspace.ts'

const engine = 'a Docker engine on this machine'

const whyNot: Readonly<Record<string, readonly [got: string, remedy: string]>> = {
  ENOENT: ['there is no socket', 'install and start Docker or name the socket in DOCKER_HOST (unix:///path)'],
  ECONNREFUSED: ['no process listens on the socket', 'start the engine'],
  EACCES: [
    'no permission to use the socket',
    'join the group of the socket (usually docker; it grants root), or use a rootless engine',
  ],
  ETIMEDOUT: ['the engine does not answer', 'check its log (journalctl -u docker) and restart it'],
}

/** @param reason the code of the system error */
export function engineMissing(socketPath: string, reason: string, message: string): Unmet {
  const [got, remedy] = whyNot[reason] ?? [message, 'check what listens there; it must be a Docker engine']
  return { wanted: engine, got: `${got} (${socketPath}${reason === '' ? '' : `, ${reason}`})`, remedy }
}

/** @param named the setting that names it, and its address */
export function remoteEngine(named: string): Unmet {
  return {
    wanted: `${engine}, because vitrine cannot copy the workspace to another one`,
    got: named,
    remedy: 'name a unix socket in DOCKER_HOST (unix:///var/run/docker.sock), or use another context',
  }
}

export function contextUnknown(name: string, file: string): Unmet {
  return {
    wanted: engine,
    got: `the docker context "${name}" names no engine (${file})`,
    remedy: 'choose one of "docker context ls", or unset DOCKER_CONTEXT',
  }
}

export function mountMissing(path: string): Unmet {
  return {
    wanted: 'every path of [docker] mounts',
    got: `${path} does not exist or cannot be read`,
    remedy: 'create it, or remove it from [docker] mounts',
  }
}

export function otherPlatform(platform: string): Unmet {
  return {
    wanted: 'paths that a Linux container can use',
    got: platform,
    remedy: 'run vitrine on Linux or macOS, or in WSL',
  }
}

/** Built by `vitrine docker build`; used if [docker] image is empty. */
export const ownImage = 'vitrine-tools:1'

export function imageMissing(image: string): Unmet {
  const remedy = image === ownImage ? 'run "vitrine docker build"' : `run "docker pull ${image}", or build it`
  return {
    wanted: `the image ${image}`,
    got: 'the engine does not have it, and vitrine pulls nothing on its own',
    remedy,
  }
}

/** @param said the engine's message */
export function containerFailed(said: string): Unmet {
  return {
    wanted: 'a container',
    got: `the engine reports: ${said}`,
    remedy: 'fix what it reports; the image needs /bin/sh, and [docker] configures the container',
  }
}

/** @param said how long vitrine waited */
export function engineSilent(socketPath: string, said: string): Unmet {
  return {
    wanted: `${engine} that answers`,
    got: `the engine at ${socketPath}: ${said}`,
    remedy: 'try again later, or check its log (journalctl -u docker) and restart it',
  }
}

/** @param said the message of the engine or of its init; may be empty */
export function noShellIn(image: string, said: string): Unmet {
  return {
    wanted: 'an image with a /bin/sh that runs',
    got: `the one of ${image} does not run${said === '' ? '' : ` (${said})`}`,
    remedy: 'set [docker] image to an image that has /bin/sh with its libraries, for this architecture',
  }
}

/** @param said the engine's message, with the name of the container */
export function pausedWords(said: string): Unmet {
  return {
    wanted: 'a running container',
    got: `another program paused it (${said})`,
    remedy: 'resume it (docker unpause NAME), or open another shell',
  }
}

/** The engine mounted something other than what is at that path. */
export function shownWrong(path: string): Unmet {
  return {
    wanted: 'a container with the same workspace as this machine',
    got: `it has something else at ${path}: a directory on that path is a link, or the engine has other mounts than this process`,
    remedy:
      'check the mounts and links on that path (findmnt, ls -ld); a command in write mode may have changed them',
  }
}

export function unfitWorkspaceWords(workspace: string, why: 'system' | 'engine-socket'): Unmet {
  return {
    wanted: 'a workspace that a container can mount',
    got:
      why === 'system'
        ? `${workspace}, which a container needs for itself`
        : `${workspace}, which contains the engine's socket: access to it grants root on this machine`,
    remedy: 'work in the directory of a project, or name one with --workspace',
  }
}

export function describeOutside(path: string, workspace: string): string {
  return `The directory ${visible(path)} is outside the workspace ${visible(workspace)}, the only part of this machine in a container. Run the command inside it, or name another directory with --workspace.`
}

export const noTerminalInContainer =
  'The docker backend gives no command a terminal (pty). Run the command without one, or with --backend local.'

/** The only values that these settings may have with this backend. */
export const limitsOfContainer = '0, because [docker] memory limits the container'
export const unreadableInContainer =
  '[], because a container has the whole workspace and nothing else of this machine'

/** @param said why the engine does not know how the command ended */
export function lostHint(said: string, reader: HintReader): string {
  const check = reader !== 'user' ? 'ask the user to check with' : 'check with'
  return `vitrine lost the Docker engine or the container (${said}), so it is unknown how the command ended. It may still be running; ${check} "vitrine docker status".`
}

export function lostAdvice(reader: HintReader): string {
  const remedy =
    reader !== 'user'
      ? 'try again; if that fails too, tell the user'
      : 'make sure that the engine runs, then try again'
  return `The Docker engine or the container is gone: ${remedy}.`
}

export const dockerNotes = {
  files:
    'the workspace and the root are mounted read-only; /tmp, /dev/shm and the volumes of the image belong to the container. A FIFO in the workspace can be written to',
  workspaceOpen: 'write mode: the workspace can be changed; nothing else of this machine can',
  reads: 'only the workspace and the image can be read',
  unreadable: 'every file of the workspace can be read',
  locks: readableLocks,
  sockets: 'unix sockets outside the workspace are out of reach; those inside it can be connected to',
  network: (name: string) => `allowed: the container is in the network "${name}"`,
  seccomp: "by the engine's default profile",
  noSeccomp: 'the engine does not apply its default seccomp profile',
  survivors: 'remaining processes end with the container',
  background: 'write mode: background processes live until the shell is closed',
  hostDeath: 'the container ends with the connection of this process',
  reports: outputOnly,
  privateTmp: 'each command gets a new container with an empty /tmp',
}

export const engineProblems = {
  noSocket: 'there is no socket',
  oldApi: (version: string | undefined, least: string) =>
    `it speaks API ${version ?? 'of no version'}; ${least} is needed`,
  late: (ms: number) => `it did not answer within ${ms} ms`,
  cancelled: 'the request was cancelled',
  broken: (reason: string) => `its answer broke off: ${reason}`,
  notJson: 'its answer is not JSON',
  silent: 'the first process of the container printed nothing',
  stuck: (container: string) => `the container ${container} does not end`,
  unended: 'it did not end in time',
  gone: 'the container is gone',
} as const

export const containerTmpLimit = 'the size of /tmp'

/** @param said what vitrine's part inside of the container wrote to stderr */
export function insideEnded(code: number, said: string): string {
  return `the process of vitrine that confines the command in the container ended with exit code ${code}${said === '' ? '' : `: ${visible(said.trim())}`}`
}
