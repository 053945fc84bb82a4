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
  /** The size of a private /tmp in bytes; 0: what the memory allows. */
  readonly tmpBytes: number
  /** The user that commands run as. */
  readonly user: ContainerUser
}

export interface ContainerUser {
  readonly uid: number
  readonly gid: number
}

/** Names that must be had by a process of the host's user; a command has other ones, and no CAP_KILL. */
const keeperId = 65_533

/**
 * The user of the container's first process, which must not be that of commands: they could end it, and the container.
 */
export function keeperOf({ uid }: ContainerUser): string {
  const id = uid === keeperId ? keeperId - 1 : keeperId
  return `${id}:${id}`
}

/**
 * Says which kernel it runs on and what is mounted, then an empty line, and waits for the end of its input, which is a
 * connection of the host's process: when that is gone, however it ended, so are this one and the container.
 */
const keeper = [
  '/bin/sh',
  '-c',
  'for file in sys/kernel/random/boot_id self/mountinfo; do while read -r line; do printf "%s\\n" "$line"; done </proc/$file; done; echo; read -r _',
]

/** How a container is made, beside what the settings say. */
export interface Shown {
  /** Directories and mounts that are shown at their own paths, outermost first. */
  readonly mounts: readonly string[]
  /** The mode is write. */
  readonly writable: boolean
  readonly labels: Readonly<Record<string, string>>
}

/** The body of "Create a container" (API reference). */
export function containerSpec(settings: ContainerSettings, { mounts, writable, labels }: Shown): object {
  return {
    Image: settings.image,
    Entrypoint: keeper,
    Cmd: [],
    User: keeperOf(settings.user),
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
      Memory: settings.memory,
      // Memory and swap together: the same again is none.
      MemorySwap: settings.memory,
      NanoCpus: Math.round(settings.cpus * 1e9),
      PidsLimit: settings.pids,
      Tmpfs: { '/tmp': tmpfsOptions(settings.tmpBytes) },
      Mounts: mounts.map((path) => bind(path, !writable)),
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

function tmpfsOptions(bytes: number): string {
  return `rw,exec,nosuid,nodev,mode=1777${bytes > 0 ? `,size=${bytes}` : ''}`
}

function bind(path: string, readOnly: boolean): object {
  return {
    Type: 'bind',
    Source: path,
    Target: path,
    ReadOnly: readOnly,
    BindOptions: { Propagation: 'rprivate', NonRecursive: true },
  }
}

const units: Readonly<Record<string, number>> = { b: 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3 }

/** `512m` as `docker run --memory` reads it; without a unit: bytes. */
export function bytesOf(size: string): number {
  const unit = size.at(-1)?.toLowerCase() ?? ''
  return Number.parseInt(size, 10) * (units[unit] ?? 1)
}
