import { dirname } from 'node:path'
import { isBeneath } from '../../base/paths.ts'
import { containerHome, hostsPath, type Mount } from './mounts.ts'

export interface ContainerSettings {
  readonly image: string
  /** `none`, or a network as for `docker run --network`. */
  readonly network: string
  readonly memory: number
  /** The size of a private /tmp in bytes; 0: the same as that of a shared one. */
  readonly privateTmpBytes: number
}

export interface ContainerUser {
  readonly uid: number
  readonly gid: number
  readonly groups: readonly number[]
}

/**
 * The script of a container's first process. It prints the boot id of its kernel and its mounts, and then for each input line
 * a count; an empty line ends each answer. Its input is a connection of the host process: when that closes for any reason, this
 * process and the container end. It uses shell builtins only: nothing is forked. Not `echo`, which in some shells decodes the
 * backslashes of paths.
 */
const keeperScript = `
for file in sys/kernel/random/boot_id self/mountinfo; do
  while read -r line; do printf '%s\\n' "$line"; done </proc/$file
done
echo
group=/sys/fs/cgroup tasks=/sys/fs/cgroup/pids.current events=/sys/fs/cgroup/memory.events
if [ -e $group/pids/pids.current ]; then
  tasks=$group/pids/pids.current events=$group/memory/memory.oom_control
fi
while read -r _; do
  count='-' killed='-'
  [ -r $tasks ] && read -r count <$tasks
  [ -r $events ] && while read -r name value; do [ "$name" = oom_kill ] && killed=$value; done <$events
  set -- /proc/[0-9]*
  printf '%s\\n\\n' "$count $# $killed"
done`

const keeperId = 65_533

/** Differs from the commands' user: that user could kill the keeper, and with it the container. */
function keeperOf({ uid }: ContainerUser): string {
  const id = uid === keeperId ? keeperId - 1 : keeperId
  return `${id}:${id}`
}

interface ContainerShape {
  readonly user: ContainerUser
  /** Of the workspace, which may lie in /tmp. */
  readonly shown: readonly Mount[]
  readonly others: readonly Mount[]
  /** /tmp is private to one command. */
  readonly fresh: boolean
  readonly labels: Readonly<Record<string, string>>
}

/** The body of "Create a container" (API reference). */
export function containerSpec(settings: ContainerSettings, shape: ContainerShape): object {
  const { image, network, memory, privateTmpBytes } = settings
  const { user, shown, others, fresh, labels } = shape
  const temporary = ['/tmp', ...directoriesOnTheWay(others)]
  const size = tmpSize(memory, fresh ? privateTmpBytes : 0) / temporary.length
  return {
    Image: image,
    Entrypoint: ['/bin/sh', '-c', keeperScript],
    Cmd: [],
    User: keeperOf(user),
    WorkingDir: '/',
    Labels: labels,
    OpenStdin: true,
    StdinOnce: true,
    AttachStdin: true,
    // Without a network the engine still sets one up (half of a start) unless told; then /etc/hosts is ours.
    NetworkDisabled: network === 'none' && others.some(({ target }) => target === hostsPath),
    // The image's own health check would run processes beside the command.
    Healthcheck: { Test: ['NONE'] },
    HostConfig: {
      ...confinement,
      NetworkMode: network,
      Memory: memory,
      // The limit of memory plus swap; the same value means no swap.
      MemorySwap: memory,
      PidsLimit: mostProcesses,
      GroupAdd: user.groups.map(String),
      ShmSize: Math.min(usualShmBytes, Math.floor(memory / 8)),
      Tmpfs: Object.fromEntries(temporary.map((path) => [path, `${tmpfs},size=${Math.floor(size)}`])),
      Mounts: [...shown, ...others].map(({ source, target, writable }) => ({
        Type: 'bind',
        Source: source,
        Target: target,
        ReadOnly: !writable,
        BindOptions: { Propagation: 'rprivate', NonRecursive: true },
      })),
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
  ReadonlyRootfs: true,
  IpcMode: 'private',
  RestartPolicy: { Name: 'no' },
  // The first process writes nothing worth a log.
  LogConfig: { Type: 'none' },
}

/** Enough for builds and tests; a fork bomb ends there. */
const mostProcesses = 1024

/** The engine's default size of /dev/shm. */
const usualShmBytes = 64 * 1024 ** 2

/** Files in a tmpfs count as the container's memory: a full /tmp leaves half of it to programs. */
function tmpSize(memory: number, wanted: number): number {
  const most = memory / 2
  return wanted > 0 ? Math.min(wanted, most) : most
}

const tmpfs = 'rw,exec,nosuid,nodev,mode=1777'

/** On the way from the home directory to a mount: the engine would create them owned by root. */
function directoriesOnTheWay(mounts: readonly Mount[]): readonly string[] {
  const found = new Set<string>()
  for (const { target } of mounts)
    for (let at = dirname(target); at !== containerHome && isBeneath(at, containerHome); at = dirname(at))
      found.add(at)
  return [...found].filter((path) => mounts.every(({ target }) => target !== path))
}
