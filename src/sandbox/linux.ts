import { errnoName } from '../base/errno.ts'
import type { Unmet, UnmetInWorkspace } from '../base/refusal.ts'
import type { Enforcement, RightEnforcement } from '../base/types.ts'
import { unavailable } from '../messages/error.ts'
import { scarcityRemedy } from '../messages/limits.ts'
import type { NetworkKind } from '../network/access.ts'
import {
  enforced,
  notEnforced,
  outputOnly,
  readsEnforcement,
  refuseHosts,
  workspaceNotes,
} from './enforcement.ts'
import { linuxPrivateDirectories, type PrivateTmpAddon, removeSpares } from './private-tmp.ts'
import type {
  Changes,
  Confinement,
  PathStates,
  Probe,
  ProxyAccess,
  Sandbox,
  SandboxOptions,
} from './sandbox.ts'

type DirectoriesAddon = PrivateTmpAddon & PathStates

/** By the addon. `watcher` returns the errno of starting the watcher, 0 when it runs. */
export function linuxSandbox(
  probe: Probe,
  watcher: () => number,
  addon: DirectoriesAddon | undefined,
): Sandbox {
  return {
    privateDirectories: addon && linuxPrivateDirectories(addon),
    pathStates: addon,
    confine({ network, reads, changes, world = 0 }) {
      const missing =
        missingSupport(probe) ?? (changes ? missingForChanges(probe) : undefined) ?? missingWatcher(watcher())
      if (missing) throw unavailable(missing)
      const { listener, listenerErrno, getfdErrno } = probe
      if (!listener)
        refuseHosts(network, `no listener of seccomp notifications (${errnoName(listenerErrno)})`)
      if (getfdErrno !== 0) refuseHosts(network, `no pidfd_getfd (${errnoName(getfdErrno)})`)
      return {
        kind: 'landlock',
        network: network === 'all',
        proxy: null,
        writable: [],
        reads,
        changes,
        asks: changes?.asks ?? false,
        abi: probe.landlockAbi,
        world: ownSocketsMissing(probe) ? 0 : world,
        listener: probe.listener,
      }
    },
    throughProxy: proxied,
    enforcement: (options) => linuxEnforcement(probe, options),
    close: removeSpares,
  }
}

function proxied(confinement: Confinement, proxy: ProxyAccess): Confinement {
  if (confinement.kind !== 'landlock') throw new Error(`no proxy for ${confinement.kind}`)
  return { ...confinement, proxy }
}

/** Since this ABI Landlock itself scopes signals (LANDLOCK_SCOPE_SIGNAL). */
const signalScopeAbi = 6

interface Need {
  readonly isMet: (probe: Probe) => boolean
  readonly wanted: string
  readonly got: (probe: Probe) => string
  readonly remedy: string | ((probe: Probe) => string)
}

const landlockReasons: Readonly<Record<string, string>> = {
  ENOSYS: 'the kernel has no Landlock',
  EOPNOTSUPP: 'Landlock is built into the kernel but disabled at boot',
  EPERM: 'a container or policy blocks the landlock_* system calls',
}

/** kernel.core_pattern (core(5)) decides where a core dump is written; that place lies outside the sandbox. */
const dumpReasons: Readonly<Record<string, string>> = {
  EPROTONOSUPPORT:
    'kernel.core_pattern begins with "@", so the kernel sends each dump to a socket, whatever the limit is',
  EPERM:
    'kernel.core_pattern begins with "|" and the hard limit of core dumps is 0, at which the kernel still starts that program',
}

const needs: readonly Need[] = [
  {
    isMet: ({ landlockAbi }) => landlockAbi >= 1,
    wanted: 'Landlock (Linux 5.13 or newer, with "landlock" among the lsm= of the kernel)',
    got: ({ landlockErrno: errno }) =>
      landlockReasons[errnoName(errno)] ?? `no Landlock (${errnoName(errno)})`,
    remedy: 'boot with lsm=landlock,... or let the container runtime allow the landlock_* system calls',
  },
  {
    isMet: ({ trialErrno }) => trialErrno === 0,
    wanted: 'a process that tries what the kernel offers',
    got: ({ trialErrno }) => `starting one fails with ${errnoName(trialErrno)}`,
    remedy:
      "end other processes or close files, or raise the limits (ulimit -u and -n, a container's pids limit)",
  },
  {
    isMet: ({ seccomp }) => seccomp,
    wanted: 'seccomp filters (Linux 3.17 or newer, CONFIG_SECCOMP_FILTER)',
    got: ({ seccompErrno }) => `installing a filter fails with ${errnoName(seccompErrno)}`,
    remedy: 'let the container runtime allow the seccomp system call',
  },
  {
    isMet: ({ coreDumpsErrno }) => coreDumpsErrno === 0,
    wanted: 'core dumps that stay inside the sandbox',
    got: ({ coreDumpsErrno: errno }) =>
      dumpReasons[errnoName(errno)] ?? `reading /proc/sys/kernel/core_pattern fails with ${errnoName(errno)}`,
    remedy:
      'as root, set another pattern: sysctl -w kernel.core_pattern=core; with "|" a hard limit of 1 or more will do, too (prlimit --core, limits.conf, docker run --ulimit core=1)',
  },
  {
    isMet: ({ pidfd }) => pidfd,
    wanted: 'process descriptors (CLONE_PIDFD, Linux 5.2 or newer)',
    got: () => 'clone(2) returns none',
    remedy: 'run a newer kernel',
  },
  {
    isMet: ({ landlockAbi, listener }) => landlockAbi >= signalScopeAbi || listener,
    wanted: `a way to confine signals: Landlock ABI ${signalScopeAbi} (Linux 6.12), or a seccomp listener (Linux 5.0)`,
    got: (probe) => `Landlock ABI ${probe.landlockAbi}, and ${listenerFails(probe)}`,
    remedy: listenerRemedy,
  },
]

function missingSupport(probe: Probe): Unmet | undefined {
  const need = needs.find(({ isMet }) => !isMet(probe))
  if (!need) return undefined
  const { wanted, got, remedy } = need
  return { wanted, got: got(probe), remedy: typeof remedy === 'string' ? remedy : remedy(probe) }
}

function listenerFails({ listenerErrno }: Probe): string {
  return `installing a listener fails with ${errnoName(listenerErrno)}`
}

function listenerRemedy({ listener, listenerErrno }: Probe): string {
  const scarce = listener ? undefined : scarcityRemedy(errnoName(listenerErrno))
  return scarce ?? 'run a newer kernel, or do not run vitrine under another seccomp listener'
}

/** Landlock ABI 2 added renames from one directory to another, ABI 3 truncate(2). */
const changesAbi = 3

/** What the notifier carries out needs a listener, and SECCOMP_ADDFD_FLAG_SEND (Linux 5.14), which is older than that ABI. */
function missingForChanges(probe: Probe): UnmetInWorkspace | undefined {
  if (probe.landlockAbi >= changesAbi && probe.listener) return undefined
  return {
    for: 'workspace',
    wanted: `Landlock ABI ${changesAbi} (Linux 6.2) and a seccomp listener (Linux 5.14)`,
    got: probe.listener ? `Landlock ABI ${probe.landlockAbi}` : listenerFails(probe),
    remedy: listenerRemedy(probe),
  }
}

function missingWatcher(errno: number): Unmet | undefined {
  if (errno === 0) return undefined
  const name = errnoName(errno)
  const remedy = 'allow executing a memfd (sysctl vm.memfd_noexec) or unnamed files in /tmp'
  return {
    wanted: 'the watcher, which ends running commands when this process is killed',
    got: `starting it fails with ${name}`,
    remedy: scarcityRemedy(name) ?? remedy,
  }
}

function linuxEnforcement(
  probe: Probe,
  { network, reads, changes, privateTmp, world }: SandboxOptions,
): Enforcement {
  const byScope = probe.landlockAbi >= signalScopeAbi
  const serves = world !== undefined && ownSocketsMissing(probe) === undefined
  const beside = changes ? workspaceNotes.beside : undefined
  const made = serves ? ' and those that it makes' : ''
  return {
    'file contents': enforced('landlock+seccomp', beside),
    'file metadata': enforced('seccomp', beside),
    ...(changes && { workspace: enforced('landlock+seccomp listener', workspaceNote(changes, probe)) }),
    ...readsEnforcement('landlock', reads),
    'device nodes': enforced('landlock+seccomp', '/dev is not granted as a whole'),
    locks: enforced('seccomp', 'shared locks are allowed'),
    network: networkOf(probe, network, serves),
    ...(world !== undefined && { 'own sockets': ownSocketsOf(probe) }),
    'unix sockets': enforced(byScope ? 'landlock+seccomp' : 'seccomp'),
    signals: enforced(byScope ? 'landlock' : 'seccomp listener'),
    'other processes': enforced('landlock+seccomp'),
    ipc: enforced('seccomp'),
    keys: enforced('seccomp'),
    namespaces: enforced('seccomp'),
    system: enforced('seccomp'),
    terminals: enforced(
      'landlock+seccomp',
      `a session of its own; no terminal except the one it is given (pty)${made}`,
    ),
    descriptors: enforced('close_range', 'only the three standard streams are inherited'),
    survivors: inSession(probe, probe.listenerProves ? 'seccomp listener+session sweep' : 'session sweep'),
    'death of the host': inSession(probe, 'watcher'),
    'denial reports': denialReports(probe),
    ...(privateTmp && { 'private tmp': privateTmpOf(probe) }),
  }
}

/** Since ABI 4 Landlock refuses every TCP connection that the notifier does not make. */
function networkOf(probe: Probe, network: NetworkKind, serves: boolean): RightEnforcement {
  if (network === 'all') return notEnforced(openNetworkNote(probe, serves))
  const by = probe.landlockAbi >= 4 ? 'landlock+seccomp' : 'seccomp'
  if (network === 'none') return enforced(by)
  return enforced(`${by} listener`, 'TCP to the listed hosts, by a proxy in this process (docs/network.md)')
}

/** What native/linux/confine/filter/seccomp_rules.c allows. */
function openNetworkNote({ getfdErrno }: Probe, serves: boolean): string {
  const binds = getfdErrno === 0
  const allowed = [
    'TCP and UDP clients, name lookups',
    ...(binds ? ['ports that the kernel picks'] : []),
    ...(serves ? ['servers on loopback'] : []),
  ]
  const ports = serves ? 'chosen ports of UDP' : 'chosen ports'
  const refused = [
    serves ? 'other servers' : 'listening',
    binds ? ports : 'every bind(2) to an address, as pidfd_getfd(2) is blocked',
    'multicast groups, fast open, raw and all other protocols',
  ]
  return `allowed: ${allowed.join(', ')}; refused: ${refused.join(', ')}`
}

/** What lets the notifier tell the command's own sockets from others; undefined: nothing is missing. */
function ownSocketsMissing({ listener, getfdErrno, socketsErrno }: Probe): string | undefined {
  if (!listener) return 'they need a seccomp listener (Linux 5.14)'
  if (getfdErrno !== 0)
    return `they need pidfd_getfd(2) (Linux 5.6), which fails with ${errnoName(getfdErrno)}; Docker allows it with --cap-add SYS_PTRACE`
  if (socketsErrno === 0) return undefined
  return `they need sock_diag(7), which fails with ${errnoName(socketsErrno)}; a kernel with CONFIG_INET_DIAG has it`
}

function ownSocketsOf(probe: Probe): RightEnforcement {
  const missing = ownSocketsMissing(probe)
  if (missing !== undefined) return enforced('seccomp', `shut: ${missing}`)
  const own =
    'loopback, unix sockets, shared memory and terminals among the commands of this shell (docs/own-sockets.md)'
  const byPath = '; abstract names of unix sockets are refused below Landlock ABI 6 (Linux 6.12)'
  return enforced('seccomp listener', `${own}${probe.landlockAbi >= signalScopeAbi ? '' : byPath}`)
}

function workspaceNote(changes: Changes, { getfdErrno }: Probe): string {
  const refused =
    '; refused: exclusive flock(2), and names for descriptors of unnamed files (linkat(2)), as pidfd_getfd(2) is blocked'
  return `${workspaceNotes.changes(changes)}${getfdErrno === 0 ? '' : refused}`
}

/** Even in a private tmp. */
function privateTmpOf({ listener, getfdErrno, landlockAbi }: Probe): RightEnforcement {
  const refused = [
    ...(listener ? [] : ['modes, times, attributes and exclusive flock(2)']),
    ...(listener && getfdErrno !== 0 ? ['exclusive flock(2), as pidfd_getfd(2) is blocked'] : []),
    ...(landlockAbi < 2 ? ['renames and links from one directory to another'] : []),
    ...(landlockAbi < 3 ? ['truncate(2)'] : []),
  ]
  const note = refused.length === 0 ? undefined : `still refused in it: ${refused.join('; ')}`
  return enforced(listener ? 'landlock+seccomp listener' : 'landlock', note)
}

function inSession({ sessions }: Probe, by: string): RightEnforcement {
  if (sessions) return enforced(by)
  return notEnforced(
    'a sandbox around this process gives commands no session of their own; what they leave behind lasts as long as that sandbox',
  )
}

/** By kernel.yama.ptrace_scope (Documentation/admin-guide/LSM/Yama.rst): a report reads the path from the caller's memory. */
const yamaHides: Readonly<Record<number, string>> = {
  1: 'the memory of processes whose parent has ended: for these, ',
  2: 'the memory of commands: ',
}

function denialReports({ listener, listenerErrno, yama }: Probe): RightEnforcement {
  const errno = errnoName(listenerErrno)
  const isTaken = 'this process already runs under a seccomp listener'
  const why = errno === 'EBUSY' ? isTaken : `installing a seccomp listener fails with ${errno}`
  if (!listener) return notEnforced(`${why}; ${outputOnly}`)
  const hidden = yamaHides[Math.min(yama, 2)]
  const reported =
    'opening for writing is refused, but reported only if the path is an argument of the program or in its environment'
  return enforced('seccomp listener', hidden && `Yama hides ${hidden}${reported}`)
}
