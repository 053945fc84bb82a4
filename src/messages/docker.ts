import { visible } from '../base/visible.ts'
import type { HintReader } from './denials.ts'

/** The parts of a refusal of the docker backend: what it needs, what there is, and what to do. */
export interface DockerWords {
  readonly wanted: string
  readonly got: string
  readonly remedy: string
}

/** Why nothing ran, and what to do. */
export function describeNoDocker({ wanted, got, remedy }: DockerWords): string {
  return `The docker backend ([shell] backend = "docker") needs ${wanted}; here: ${got}. Nothing ran. To have it: ${remedy}. It is never replaced by this machine itself; backend = "local" runs commands there.`
}

/** Why a command that calls docker did not run on this machine. */
export function describeNoEngine({ got, remedy }: DockerWords): string {
  return `The command calls docker, and no engine answers: ${got}. Nothing ran. What to do: ${remedy}.`
}

const engine = 'a Docker engine on this machine'

export function engineLate(timeoutMs: number): DockerWords {
  return {
    wanted: engine,
    got: `[docker] start_command did not bring one up within the command's ${timeoutMs} ms`,
    remedy: 'give the command more time, or start the engine by hand',
  }
}

const whyNot: Readonly<Record<string, readonly [got: string, remedy: string]>> = {
  ENOENT: [
    'there is no socket',
    'install Docker and start it, name the socket in DOCKER_HOST (unix:///path), or let [docker] start_command start it',
  ],
  ECONNREFUSED: ['nobody listens at the socket', 'start the engine, or let [docker] start_command start it'],
  EACCES: [
    'no permission to use the socket',
    'be in the group that the socket belongs to (usually docker), or use a rootless engine; whoever may use the socket is root',
  ],
  ETIMEDOUT: ['the engine does not answer', 'look at its log (journalctl -u docker), and restart it'],
}

/** @param reason the code of the system error */
export function engineMissing(socketPath: string, reason: string, message: string): DockerWords {
  const [got, remedy] = whyNot[reason] ?? [
    message,
    'look at what listens there: it has to be a Docker engine',
  ]
  return { wanted: engine, got: `${got} (${socketPath}${reason === '' ? '' : `, ${reason}`})`, remedy }
}

/** @param named what names it, and its address */
export function remoteEngine(named: string): DockerWords {
  return {
    wanted: `${engine}: one elsewhere would need an upload of the workspace, which vitrine does not do yet`,
    got: named,
    remedy: 'name a unix socket in DOCKER_HOST (unix:///var/run/docker.sock), or use another context',
  }
}

export function contextUnknown(name: string, file: string): DockerWords {
  return {
    wanted: engine,
    got: `the docker context "${name}" names no engine (${file})`,
    remedy: 'choose one of "docker context ls", or unset DOCKER_CONTEXT',
  }
}

export function mountMissing(path: string): DockerWords {
  return {
    wanted: 'every path of [docker] mounts',
    got: `${path} is not there, or cannot be looked at`,
    remedy: 'make it, or take it out of [docker] mounts',
  }
}

export function otherPlatform(platform: string): DockerWords {
  return {
    wanted: 'directories that have the same path in a Linux container',
    got: platform,
    remedy: 'run vitrine on Linux or macOS, or in WSL',
  }
}

export function startFailed(command: string, got: string): DockerWords {
  return {
    wanted: engine,
    got: `the start command did not bring one up: ${got}`,
    remedy: `run it by hand and see what it says: ${command}`,
  }
}

/** What `vitrine docker build` makes, and is used where [docker] image names nothing. */
export const ownImage = 'vitrine-tools:1'

export function imageMissing(image: string): DockerWords {
  const remedy = image === ownImage ? 'run "vitrine docker build"' : `run "docker pull ${image}", or build it`
  return {
    wanted: `the image ${image}`,
    got: 'the engine does not have it, and nothing is pulled unasked',
    remedy,
  }
}

/** @param said the engine's words */
export function containerFailed(said: string): DockerWords {
  return {
    wanted: 'a container',
    got: `the engine says: ${said}`,
    remedy: 'see to what it says; the image needs /bin/sh, and [docker] says how the container is made',
  }
}

/** @param said how long it was waited for */
export function engineSilent(socketPath: string, said: string): DockerWords {
  return {
    wanted: `${engine} that answers`,
    got: `the engine at ${socketPath}: ${said}`,
    remedy: 'try again when it has less to do, or look at its log (journalctl -u docker) and restart it',
  }
}

/** @param said the words of the engine or of its init; empty: there are none */
export function noShellIn(image: string, said: string): DockerWords {
  return {
    wanted: 'a /bin/sh that runs in the image',
    got: `that of ${image} does not run${said === '' ? '' : ` (${said})`}`,
    remedy: 'name an image in [docker] image that has /bin/sh with its libraries, for this kind of processor',
  }
}

/** @param said the engine's words, with the name of the container */
export function pausedWords(said: string): DockerWords {
  return {
    wanted: 'its container to run',
    got: `it was paused by another program (${said})`,
    remedy: 'end the pause ("docker unpause" and its name), or open another shell',
  }
}

/** The engine has mounted something else than stands there. */
export function shownWrong(path: string): DockerWords {
  return {
    wanted: 'a container that shows the workspace as it is here',
    got: `it shows something else at ${path}: a directory on the way there is a link, or the engine has other mounts than this process`,
    remedy:
      'see what is mounted there and what links lead there (findmnt, ls -ld); commands of write mode may have changed it',
  }
}

export function unfitWorkspaceWords(workspace: string, why: 'system' | 'engine-socket'): DockerWords {
  return {
    wanted: 'a workspace that can be shown to a container',
    got:
      why === 'system'
        ? `${workspace}, which a container needs for itself`
        : `${workspace}, in which the engine's own socket lies: whoever has that is root here`,
    remedy: 'work in a directory of a project, or name one in [policy] workspace',
  }
}

export function describeOutside(path: string, workspace: string): string {
  return `The directory ${visible(path)} lies outside of the workspace ${visible(workspace)}, which is all that a container shows of this machine: run the command in it, or name another one in [policy] workspace.`
}

export const noTerminalInContainer =
  'The docker backend gives no command a terminal (pty). Run the command without one, or with --backend local.'

/** What [limits] cannot have with this backend. */
export const limitsOfContainer = '0, for [docker] memory, cpus and pids limit the container'
export const unreadableInContainer =
  '[], for a container shows the workspace whole and nothing else of this machine'
export const socketsInContainer = '[], for a container reaches no unix socket outside of the workspace'

/** @param said why the engine does not know */
export function lostHint(said: string, reader: HintReader): string {
  const look = reader === 'tool' ? 'the user can look with' : 'see what is left with'
  return `How the command ended is not known, for the Docker engine or the container went away (${said}). It may have run on; ${look} "vitrine docker status".`
}

/** What to do after that. */
export function lostAdvice(reader: HintReader): string {
  const remedy =
    reader === 'tool' ? 'try again, and tell the user if that fails, too' : 'see that it runs, then try again'
  return `The engine or the container went away: ${remedy}.`
}

/** Notes on what a container holds. */
export const dockerNotes = {
  files:
    'the workspace is mounted read-only, and so is the root; what is written to /tmp and /dev/shm is the container’s own. A FIFO that lies in the workspace can be written to',
  writableRoot:
    'the workspace is mounted read-only; all else that is written is the container’s own. A FIFO that lies in the workspace can be written to',
  workspaceOpen: 'write mode: the workspace can be changed; nothing else of this machine can',
  reads: 'only the workspace and the image can be read',
  unreadable: 'nothing of the workspace is kept from being read',
  locks: 'a file of the workspace that can be read can be locked',
  sockets:
    'those outside of the workspace are out of reach; one that lies in the workspace can be connected to',
  network: (name: string) => `open: the container is in the network "${name}"`,
  seccomp: 'by the default profile of the engine',
  survivors: 'what is left in the container ends with it',
  background: 'write mode: what a command leaves in the background lives until the shell is closed',
  hostDeath: 'the container ends when the connection of this process does',
  reports: 'a container tells nothing: refusals show in the output of the command only',
  privateTmp: 'each command gets a container, and so a /tmp, that nobody has used',
}
