import type { Unmet, UnmetInWorkspace } from '../../base/refusal.ts'
import { scarcityRemedy } from '../limits.ts'
import { outputOnly, workspaceNotes } from '../workspace.ts'

const landlockReasons: Readonly<Record<string, string>> = {
  ENOSYS: 'the kernel has no Landlock',
  EOPNOTSUPP: 'Landlock is built into the kernel but disabled at boot',
  EPERM: 'a container or policy blocks the landlock_* system calls',
}

export function landlockMissing(errno: string): Unmet {
  return {
    wanted: 'Landlock (Linux 5.13 or newer, with "landlock" among the lsm= of the kernel)',
    got: landlockReasons[errno] ?? `no Landlock (${errno})`,
    remedy: 'boot with lsm=landlock,... or let the container runtime allow the landlock_* system calls',
  }
}

export function trialFailed(errno: string): Unmet {
  return {
    wanted: 'a process that tries what the kernel offers',
    got: `starting one fails with ${errno}`,
    remedy:
      "end other processes or close files, or raise the limits (ulimit -u and -n, a container's pids limit)",
  }
}

export function seccompMissing(errno: string): Unmet {
  return {
    wanted: 'seccomp filters (Linux 3.17 or newer, CONFIG_SECCOMP_FILTER)',
    got: `installing a filter fails with ${errno}`,
    remedy: 'let the container runtime allow the seccomp system call',
  }
}

export const pidfdMissing: Unmet = {
  wanted: 'process descriptors (CLONE_PIDFD, Linux 5.2 or newer)',
  got: 'clone(2) returns none',
  remedy: 'run a newer kernel',
}

/** @param scopeAbi the Landlock ABI that scopes signals */
export function signalScopeMissing(scopeAbi: number, abi: number, errno: string): Unmet {
  return {
    wanted: `a way to confine signals: Landlock ABI ${scopeAbi} (Linux 6.12), or a seccomp listener (Linux 5.0)`,
    got: `Landlock ABI ${abi}, and installing a listener fails with ${errno}`,
    remedy: listenerRemedy(errno),
  }
}

const otherPattern = 'as root, set another pattern: sysctl -w kernel.core_pattern=core'

/** kernel.core_pattern (core(5)) decides where a core dump is written; that place lies outside the sandbox. */
export function coreDumpsLeave(errno: string): Unmet {
  const wanted = 'core dumps that stay inside the sandbox'
  switch (errno) {
    case 'EPROTONOSUPPORT':
      return {
        wanted,
        got: 'kernel.core_pattern begins with "@", so the kernel sends each dump to a socket, whatever the limit is',
        remedy: otherPattern,
      }
    case 'EPERM':
      return {
        wanted,
        got: 'kernel.core_pattern begins with "|" and the hard limit of core dumps is 0, at which the kernel still starts that program',
        remedy: `raise that hard limit to 1 or more (prlimit --core, limits.conf, docker run --ulimit core=1), or, ${otherPattern}`,
      }
    default:
      return {
        wanted,
        got: `reading /proc/sys/kernel/core_pattern fails with ${errno}`,
        remedy: 'make /proc/sys readable',
      }
  }
}

export function watcherMissing(errno: string): Unmet {
  return {
    wanted: 'the watcher, which ends running commands when this process is killed',
    got: `starting it fails with ${errno}`,
    remedy:
      scarcityRemedy(errno) ?? 'allow executing a memfd (sysctl vm.memfd_noexec) or unnamed files in /tmp',
  }
}

export const linuxNotes = {
  ...workspaceNotes,
  devices: '/dev is not granted as a whole',
  locks: 'shared locks are allowed',
  hosts: 'TCP to the listed hosts, by a proxy in this process (docs/network.md)',
  /**
   * What native/linux/confine/filter/seccomp_rules.c allows.
   * @param binds a client's bind(2) can be carried out
   * @param serves a command has sockets of its own
   */
  network: (binds: boolean, serves: boolean) =>
    `allowed: TCP and UDP clients, name lookups${binds ? ', ports that the kernel picks' : ''}${serves ? ', servers on loopback' : ''}; refused: ${serves ? 'other servers' : 'listening'}, ${binds ? `chosen ports${serves ? ' of UDP' : ''}` : 'every bind(2) to an address, as pidfd_getfd(2) is blocked'}, multicast groups, fast open, raw and all other protocols`,
  ownSockets:
    'loopback, unix sockets, shared memory and terminals among the commands of this shell (docs/own-sockets.md)',
  ownSocketsByPath: 'abstract names of unix sockets are refused below Landlock ABI 6 (Linux 6.12)',
  ownSocketsShut: (missing: string) => `shut: ${missing}`,
  terminals: (makes: boolean) =>
    `a session of its own; no terminal except the one it is given (pty)${makes ? ' and those that it makes' : ''}`,
  descriptors: 'only the three standard streams are inherited',
  sessions:
    'a sandbox around this process gives commands no session of their own; what they leave behind lasts as long as that sandbox',
  privateTmp: (refused: readonly string[]) => `still refused in it: ${refused.join('; ')}`,
  noListener: (errno: string) =>
    errno === 'EBUSY'
      ? `this process already runs under a seccomp listener; ${outputOnly}`
      : `installing a seccomp listener fails with ${errno}; ${outputOnly}`,
} as const

const reportedIf =
  'opening for writing is refused, but reported only if the path is an argument of the program or in its environment'

/** By kernel.yama.ptrace_scope (Documentation/admin-guide/LSM/Yama.rst): a report reads the path from the caller's memory. */
export const yamaNotes: Readonly<Record<number, string>> = {
  1: `Yama hides the memory of processes whose parent has ended: for these, ${reportedIf}`,
  2: `Yama hides the memory of commands: ${reportedIf}`,
}

/** What sockets among a command's own processes need. */
export const ownSocketsNeed = {
  listener: 'they need a seccomp listener (Linux 5.14)',
  getfd: (errno: string) =>
    `they need pidfd_getfd(2) (Linux 5.6), which fails with ${errno}; Docker allows it with --cap-add SYS_PTRACE`,
  diag: (errno: string) =>
    `they need sock_diag(7), which fails with ${errno}; a kernel with CONFIG_INET_DIAG has it`,
} as const

/** What a private tmp refuses, by what the kernel lacks. */
export const privateTmpRefuses = {
  withoutListener: 'modes, times, attributes and exclusive flock(2)',
  withoutGetfd: 'exclusive flock(2), as pidfd_getfd(2) is blocked',
  belowAbi2: 'renames and links from one directory to another',
  belowAbi3: 'truncate(2)',
} as const

export const workspaceWithoutGetfd =
  'refused: exclusive flock(2), and names for descriptors of unnamed files (linkat(2)), as pidfd_getfd(2) is blocked'

/** @param errno why no listener can be installed; undefined: one can */
export function workspaceMissing(leastAbi: number, abi: number, errno: string | undefined): UnmetInWorkspace {
  return {
    for: 'workspace',
    wanted: `Landlock ABI ${leastAbi} (Linux 6.2) and a seccomp listener (Linux 5.14)`,
    got: errno === undefined ? `Landlock ABI ${abi}` : `installing a listener fails with ${errno}`,
    remedy: listenerRemedy(errno),
  }
}

function listenerRemedy(errno = ''): string {
  return scarcityRemedy(errno) ?? 'run a newer kernel, or do not run vitrine under another seccomp listener'
}
