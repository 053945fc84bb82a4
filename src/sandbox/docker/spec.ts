import { keeperScript } from './keeper.ts'
import { directoriesOnTheWay, hostsPath, type UserMount } from './mounts.ts'

export interface ContainerSettings {
  readonly image: string
  /** `none`, or a network as for `docker run --network`. */
  readonly network: string
  readonly memory: number
  /** The size of a private /tmp in bytes; 0: the same as that of a shared one. */
  readonly privateTmpBytes: number
  readonly user: ContainerUser
  readonly mounts: readonly UserMount[]
}

export interface ContainerUser {
  readonly uid: number
  readonly gid: number
  readonly groups: readonly number[]
}

const keeperId = 65_533

/** Differs from the commands' user: that user could kill the keeper, and with it the container. */
export function keeperOf({ uid }: Pick<ContainerUser, 'uid'>): string {
  const id = uid === keeperId ? keeperId - 1 : keeperId
  return `${id}:${id}`
}

interface ContainerShape {
  /** Directories and mounts, mounted at their own paths, outermost first. */
  readonly mounts: readonly string[]
  readonly writable: boolean
  /** /tmp is private to one command. */
  readonly fresh: boolean
  readonly labels: Readonly<Record<string, string>>
}

/** The body of "Create a container" (API reference). */
export function containerSpec(
  settings: ContainerSettings,
  { mounts, writable, fresh, labels }: ContainerShape,
): object {
  const { memory, privateTmpBytes, user } = settings
  const size = tmpSize(memory, fresh ? privateTmpBytes : 0)
  const temporary = ['/tmp', ...directoriesOnTheWay(settings.mounts)]
  return {
    Image: settings.image,
    Entrypoint: ['/bin/sh', '-c', keeperScript],
    Cmd: [],
    User: keeperOf(user),
    WorkingDir: '/',
    Labels: labels,
    OpenStdin: true,
    StdinOnce: true,
    AttachStdin: true,
    NetworkDisabled: isLoopbackEnough(settings),
    // The image's own health check would run processes beside the command.
    Healthcheck: { Test: ['NONE'] },
    HostConfig: {
      ...confinement,
      ReadonlyRootfs: true,
      NetworkMode: settings.network,
      Memory: memory,
      // The limit of memory plus swap; the same value means no swap.
      MemorySwap: memory,
      PidsLimit: mostProcesses,
      GroupAdd: user.groups.map(String),
      ShmSize: Math.min(usualShmBytes, Math.floor(memory / 8)),
      Tmpfs: Object.fromEntries(
        temporary.map((path) => [path, `${tmpfs},size=${Math.floor(size / temporary.length)}`]),
      ),
      Mounts: [
        ...mounts.map((path) => bind({ source: path, target: path, writable })),
        ...settings.mounts.map((mount) => bind({ ...mount, writable: writable && mount.writable })),
      ],
    },
  }
}

/** The engine's default seccomp profile and its masks over /proc stay in force. */
const confinement = {
  AutoRemove: true,
  Init: true,
  Privileged: false,
  CapDrop: ['ALL'],
  SecurityOpt: ['no-new-privileges'],
  IpcMode: 'private',
  RestartPolicy: { Name: 'no' },
  // The first process writes nothing worth a log.
  LogConfig: { Type: 'none' },
}

/** Without a network the engine still sets one up (half of a start) unless told; then /etc/hosts is ours. */
function isLoopbackEnough({ network, mounts }: ContainerSettings): boolean {
  return network === 'none' && mounts.some(({ target }) => target === hostsPath)
}

/** Enough for builds and tests; a fork bomb ends there. */
const mostProcesses = 1024

/** The engine's default size of /dev/shm. */
const usualShmBytes = 64 * 1024 ** 2

/** Files in a tmpfs count as the container's memory: a full /tmp leaves half of it to programs. */
function tmpSize(memory: number, wanted: number): number {
  const most = Math.floor(memory / 2)
  return wanted > 0 ? Math.min(wanted, most) : most
}

const tmpfs = 'rw,exec,nosuid,nodev,mode=1777'

function bind({ source, target, writable }: UserMount): object {
  return {
    Type: 'bind',
    Source: source,
    Target: target,
    ReadOnly: !writable,
    BindOptions: { Propagation: 'rprivate', NonRecursive: true },
  }
}

const units: Readonly<Record<string, number>> = { b: 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3 }

/** `512m` as for `docker run --memory`; without a unit, bytes. */
export function bytesOf(size: string): number {
  const unit = size.at(-1)?.toLowerCase() ?? ''
  return Number.parseInt(size, 10) * (units[unit] ?? 1)
}
