import { keeperScript } from './keeper.ts'
import { directoriesOnTheWay, type UserMount } from './user-mounts.ts'

/** What decides how a container is made. */
export interface ContainerSettings {
  readonly image: string
  /** `none`, or a network as `docker run --network` names it. */
  readonly network: string
  /** Bytes. */
  readonly memory: number
  readonly cpus: number
  readonly pids: number
  readonly writableRoot: boolean
  /** The size of a private /tmp in bytes; 0: as that of others. */
  readonly privateTmpBytes: number
  /** The user that commands run as. */
  readonly user: ContainerUser
  /** What is shown besides the workspace. */
  readonly mounts: readonly UserMount[]
}

export interface ContainerUser {
  readonly uid: number
  readonly gid: number
  /** Supplementary groups. */
  readonly groups: readonly number[]
}

const keeperId = 65_533

/**
 * The user of the container's first process, which must not be that of commands: they could end it, and the container.
 */
export function keeperOf({ uid }: Pick<ContainerUser, 'uid'>): string {
  const id = uid === keeperId ? keeperId - 1 : keeperId
  return `${id}:${id}`
}

/** How a container is made, beside what the settings say. */
export interface Shown {
  /** Directories and mounts that are shown at their own paths, outermost first. */
  readonly mounts: readonly string[]
  /** The mode is write. */
  readonly writable: boolean
  /** Its /tmp is private to one command. */
  readonly fresh: boolean
  readonly labels: Readonly<Record<string, string>>
}

/** The body of "Create a container" (API reference). */
export function containerSpec(
  settings: ContainerSettings,
  { mounts, writable, fresh, labels }: Shown,
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
    // The image's own would run processes beside the command's.
    Healthcheck: { Test: ['NONE'] },
    HostConfig: {
      ...confinement,
      ReadonlyRootfs: !settings.writableRoot,
      NetworkMode: settings.network,
      Memory: memory,
      // Memory and swap together: the same again is none.
      MemorySwap: memory,
      NanoCpus: Math.round(settings.cpus * 1e9),
      PidsLimit: settings.pids,
      GroupAdd: user.groups.map(String),
      ShmSize: Math.min(usualShmBytes, Math.floor(memory / 8)),
      Tmpfs: Object.fromEntries(temporary.map((path) => [path, tmpfsOptions(size / temporary.length)])),
      Mounts: [
        ...mounts.map((path) => bind({ source: path, target: path, writable })),
        ...settings.mounts.map((mount) => bind({ ...mount, writable: writable && mount.writable })),
      ],
    },
  }
}

/** What is the same for every container. The default seccomp profile and the masks over /proc are the engine's, and stay. */
const confinement = {
  AutoRemove: true,
  Init: true,
  Privileged: false,
  CapDrop: ['ALL'],
  SecurityOpt: ['no-new-privileges'],
  IpcMode: 'private',
  RestartPolicy: { Name: 'no' },
  // Output of the first process: there is none.
  LogConfig: { Type: 'none' },
}

/** What the engine gives /dev/shm. */
const usualShmBytes = 64 * 1024 ** 2

/** Files in a tmpfs are charged to the container's memory: a full /tmp leaves half of it to programs. */
function tmpSize(memory: number, wanted: number): number {
  const most = Math.floor(memory / 2)
  return wanted > 0 ? Math.min(wanted, most) : most
}

function tmpfsOptions(bytes: number): string {
  return `rw,exec,nosuid,nodev,mode=1777,size=${Math.floor(bytes)}`
}

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

/** `512m` as `docker run --memory` reads it; without a unit: bytes. */
export function bytesOf(size: string): number {
  const unit = size.at(-1)?.toLowerCase() ?? ''
  return Number.parseInt(size, 10) * (units[unit] ?? 1)
}
