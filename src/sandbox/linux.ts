import { errnoName } from '../base/errno.ts'
import type { Enforcement, RightEnforcement } from '../base/types.ts'
import { VitrineError } from '../messages/error.ts'
import { enforced, notEnforced, readsEnforcement } from './enforcement.ts'
import { linuxPrivateDirectories, type PrivateTmpAddon } from './private-tmp.ts'
import type { Probe, Sandbox, SandboxOptions } from './sandbox.ts'
import { refuseUnixSockets, unixSocketsAbi } from './unix-sockets.ts'

/**
 * Landlock and seccomp, set up by the addon. `watcher` returns the errno of starting the watcher, 0 when it
 * runs.
 */
export function linuxSandbox(
  probe: Probe,
  watcher: () => number,
  privateTmp: PrivateTmpAddon | undefined,
): Sandbox {
  return {
    privateDirectories: privateTmp && linuxPrivateDirectories(privateTmp),
    confine({ network, reads, unixSockets }) {
      const missing = missingSupport(probe) ?? missingWatcher(watcher())
      if (missing) throw new VitrineError({ code: 'SANDBOX_UNAVAILABLE', ...missing })
      if (probe.landlockAbi < unixSocketsAbi)
        refuseUnixSockets(unixSockets, `Landlock ABI ${probe.landlockAbi}`)
      return {
        kind: 'landlock',
        network,
        writable: [],
        reads,
        sockets: unixSockets,
        abi: probe.landlockAbi,
        listener: probe.listener,
      }
    },
    enforcement: (options) => linuxEnforcement(probe, options),
  }
}

interface Missing {
  readonly wanted: string
  readonly got: string
  readonly remedy: string
}

/** Since this ABI Landlock itself scopes signals (LANDLOCK_SCOPE_SIGNAL). */
const signalScopeAbi = 6

function missingSupport(probe: Probe): Missing | undefined {
  if (probe.landlockAbi < 1)
    return {
      wanted: 'Landlock (Linux 5.13 or newer, with "landlock" among the lsm= of the kernel)',
      got:
        landlockReasons[errnoName(probe.landlockErrno)] ?? `no Landlock: ${errnoName(probe.landlockErrno)}`,
      remedy: 'boot with lsm=landlock,... or let the container runtime pass the landlock_* system calls',
    }
  if (!probe.seccomp)
    return {
      wanted: 'seccomp filters (Linux 3.17 or newer, CONFIG_SECCOMP_FILTER)',
      got: `installing a filter failed with ${errnoName(probe.seccompErrno)}`,
      remedy: 'let the container runtime pass the seccomp system call',
    }
  if (probe.coreDumpsErrno !== 0) return leavingDumps(errnoName(probe.coreDumpsErrno))
  if (!probe.pidfd)
    return {
      wanted: 'process descriptors (CLONE_PIDFD, Linux 5.2 or newer)',
      got: 'clone(2) gave none',
      remedy: 'run a newer kernel',
    }
  if (probe.landlockAbi < signalScopeAbi && !probe.listener)
    return {
      wanted: `signals kept inside: Landlock ABI ${signalScopeAbi} (Linux 6.12), or a seccomp listener (Linux 5.0)`,
      got: `Landlock ABI ${probe.landlockAbi}, and installing a listener failed with ${errnoName(probe.listenerErrno)}`,
      remedy: 'run a newer kernel, or do not nest vitrine under another seccomp listener',
    }
  return undefined
}

const landlockReasons: Readonly<Record<string, string>> = {
  ENOSYS: 'a kernel without Landlock',
  EOPNOTSUPP: 'Landlock is built into the kernel but disabled at boot',
  EPERM: 'a container or policy blocks the landlock_* system calls',
}

/** kernel.core_pattern (core(5)) decides where a core dump is written, and that lies outside the sandbox. */
function leavingDumps(errno: string): Missing {
  const wanted = 'core dumps kept inside'
  const other = 'let root set another one: sysctl -w kernel.core_pattern=core'
  if (errno === 'EPROTONOSUPPORT')
    return {
      wanted,
      got: 'kernel.core_pattern begins with "@", so the kernel sends each dump to a socket, whatever its limit',
      remedy: other,
    }
  if (errno === 'EPERM')
    return {
      wanted,
      got: 'kernel.core_pattern begins with "|", and the hard limit of core dumps is 0: the kernel starts that program even so',
      remedy: `raise that hard limit to 1 or more (prlimit --core, limits.conf, docker run --ulimit core=1), or ${other}`,
    }
  return {
    wanted,
    got: `reading /proc/sys/kernel/core_pattern failed with ${errno}`,
    remedy: 'let /proc/sys be read',
  }
}

function missingWatcher(errno: number): Missing | undefined {
  if (errno === 0) return undefined
  return {
    wanted: 'the watcher, which ends what runs when this process is killed',
    got: `starting it failed with ${errnoName(errno)}`,
    remedy: 'allow executing a memfd (sysctl vm.memfd_noexec) or unnamed files in /tmp',
  }
}

function linuxEnforcement(
  probe: Probe,
  { network, reads, privateTmp, unixSockets }: SandboxOptions,
): Enforcement {
  const byScope = probe.landlockAbi >= signalScopeAbi
  return {
    'file contents': enforced('landlock+seccomp'),
    'file metadata': enforced('seccomp'),
    ...readsEnforcement('landlock', reads),
    'device nodes': enforced('landlock+seccomp', '/dev is not granted as a whole'),
    locks: enforced('seccomp', 'shared locks are allowed'),
    network: network
      ? notEnforced(openNetwork)
      : enforced(probe.landlockAbi >= 4 ? 'landlock+seccomp' : 'seccomp'),
    'unix sockets': enforced(byScope ? 'landlock+seccomp' : 'seccomp', openSockets(unixSockets)),
    signals: enforced(byScope ? 'landlock' : 'seccomp listener'),
    'other processes': enforced('landlock+seccomp'),
    ipc: enforced('seccomp'),
    keys: enforced('seccomp'),
    namespaces: enforced('seccomp'),
    system: enforced('seccomp'),
    terminals: enforced(
      'landlock+seccomp',
      'a session of its own; no terminal but one that it is given (pty)',
    ),
    descriptors: enforced('close_range', 'nothing but the three standard streams is inherited'),
    survivors: inSession(probe, probe.listenerProves ? 'seccomp listener+session sweep' : 'session sweep'),
    'death of the host': inSession(probe, 'watcher'),
    'denial reports': denialReports(probe),
    ...(privateTmp && { 'private tmp': privateTmpOf(probe) }),
  }
}

function openSockets(sockets: readonly string[]): string | undefined {
  if (sockets.length === 0) return undefined
  return `open: ${sockets.join(', ')}`
}

/** What native/linux/confine/seccomp_rules.c allows. */
const openNetwork =
  'open: TCP and UDP clients, name lookups, ports that the kernel picks; shut: listening, ports of choice, multicast groups, fast open, raw and all other protocols'

/**
 * What is refused even in a private tmp. Landlock ABI 2 added renames between directories, ABI 3 truncate(2).
 */
function privateTmpOf({ listener, landlockAbi }: Probe): RightEnforcement {
  const lacking = [
    ...(listener ? [] : ['modes, times, attributes and exclusive flock(2)']),
    ...(landlockAbi < 2 ? ['renames and links from one directory to another'] : []),
    ...(landlockAbi < 3 ? ['truncate(2)'] : []),
  ]
  const note = lacking.length === 0 ? undefined : `refused in it too: ${lacking.join('; ')}`
  return enforced(listener ? 'landlock+seccomp listener' : 'landlock', note)
}

/** Survivors are found by the command's session. */
function inSession({ sessions }: Probe, by: string): RightEnforcement {
  if (sessions) return enforced(by)
  return notEnforced(
    'this process runs in a sandbox that gives its commands no session of their own: what they leave behind lasts as long as that sandbox',
  )
}

function denialReports({ listener, listenerErrno, yama }: Probe): RightEnforcement {
  if (!listener) return notEnforced(withoutReports(listenerErrno))
  return enforced('seccomp listener', yamaNotes[Math.min(yama, 2)])
}

/**
 * A report reads the path from the caller's memory (kernel.yama.ptrace_scope,
 * Documentation/admin-guide/LSM/Yama.rst).
 */
const yamaNotes: Readonly<Record<number, string>> = {
  1: 'Yama hides the memory of processes whose parent has ended: what those open for writing is refused, but reported only where the path is an argument of the program or in its environment',
  2: 'Yama hides the memory of commands: what is opened for writing is refused, but reported only where the path is an argument of the program or in its environment',
}

function withoutReports(errno: number): string {
  const shown = 'refusals show in the output of the command only'
  if (errnoName(errno) === 'EBUSY') return `this process runs under a seccomp listener itself: ${shown}`
  return `installing a seccomp listener failed with ${errnoName(errno)}: ${shown}`
}
