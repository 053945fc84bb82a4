import { errnoName } from '../base/errno.ts'
import type { Unmet, UnmetInWorkspace } from '../base/refusal.ts'
import type { Enforcement, RightEnforcement } from '../base/types.ts'
import { unavailable } from '../messages/error.ts'
import {
  coreDumpsLeave,
  landlockMissing,
  linuxNotes,
  ownSocketsNeed,
  pidfdMissing,
  privateTmpRefuses,
  seccompMissing,
  signalScopeMissing,
  trialFailed,
  watcherMissing,
  workspaceMissing,
  workspaceWithoutGetfd,
  yamaNotes,
} from '../messages/sandbox/linux.ts'
import { hostsNeed } from '../messages/sandbox/network.ts'
import type { NetworkKind } from '../network/access.ts'
import { enforced, notEnforced, readsEnforcement, refuseHosts } from './enforcement.ts'
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
      if (network === 'hosts' && !probe.listener)
        refuseHosts(network, hostsNeed.listener(errnoName(probe.listenerErrno)))
      if (probe.getfdErrno !== 0) refuseHosts(network, hostsNeed.getfd(errnoName(probe.getfdErrno)))
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

function missingSupport(probe: Probe): Unmet | undefined {
  if (probe.landlockAbi < 1) return landlockMissing(errnoName(probe.landlockErrno))
  if (probe.trialErrno !== 0) return trialFailed(errnoName(probe.trialErrno))
  if (!probe.seccomp) return seccompMissing(errnoName(probe.seccompErrno))
  if (probe.coreDumpsErrno !== 0) return coreDumpsLeave(errnoName(probe.coreDumpsErrno))
  if (!probe.pidfd) return pidfdMissing
  if (probe.landlockAbi < signalScopeAbi && !probe.listener)
    return signalScopeMissing(signalScopeAbi, probe.landlockAbi, errnoName(probe.listenerErrno))
  return undefined
}

/** Landlock ABI 2 added renames from one directory to another, ABI 3 truncate(2). */
const changesAbi = 3

/** What the notifier carries out needs a listener, and SECCOMP_ADDFD_FLAG_SEND (Linux 5.14), which is older than that ABI. */
function missingForChanges({ landlockAbi, listener, listenerErrno }: Probe): UnmetInWorkspace | undefined {
  if (landlockAbi >= changesAbi && listener) return undefined
  return workspaceMissing(changesAbi, landlockAbi, listener ? undefined : errnoName(listenerErrno))
}

function missingWatcher(errno: number): Unmet | undefined {
  return errno === 0 ? undefined : watcherMissing(errnoName(errno))
}

function linuxEnforcement(
  probe: Probe,
  { network, reads, changes, privateTmp, world }: SandboxOptions,
): Enforcement {
  const byScope = probe.landlockAbi >= signalScopeAbi
  const serves = world !== undefined && ownSocketsMissing(probe) === undefined
  return {
    'file contents': enforced('landlock+seccomp', changes ? linuxNotes.beside : undefined),
    'file metadata': enforced('seccomp', changes ? linuxNotes.beside : undefined),
    ...(changes && { workspace: enforced('landlock+seccomp listener', workspaceNote(changes, probe)) }),
    ...readsEnforcement('landlock', reads),
    'device nodes': enforced('landlock+seccomp', linuxNotes.devices),
    locks: enforced('seccomp', linuxNotes.locks),
    network: networkOf(probe, network, serves),
    ...(world !== undefined && { 'own sockets': ownSocketsOf(probe) }),
    'unix sockets': enforced(byScope ? 'landlock+seccomp' : 'seccomp'),
    signals: enforced(byScope ? 'landlock' : 'seccomp listener'),
    'other processes': enforced('landlock+seccomp'),
    ipc: enforced('seccomp'),
    keys: enforced('seccomp'),
    namespaces: enforced('seccomp'),
    system: enforced('seccomp'),
    terminals: enforced('landlock+seccomp', linuxNotes.terminals(serves)),
    descriptors: enforced('close_range', linuxNotes.descriptors),
    survivors: inSession(probe, probe.listenerProves ? 'seccomp listener+session sweep' : 'session sweep'),
    'death of the host': inSession(probe, 'watcher'),
    'denial reports': denialReports(probe),
    ...(privateTmp && { 'private tmp': privateTmpOf(probe) }),
  }
}

/** Since ABI 4 Landlock refuses every TCP connection that the notifier does not make. */
function networkOf(
  { landlockAbi, getfdErrno }: Probe,
  network: NetworkKind,
  serves: boolean,
): RightEnforcement {
  if (network === 'all') return notEnforced(linuxNotes.network(getfdErrno === 0, serves))
  const by = landlockAbi >= 4 ? 'landlock+seccomp' : 'seccomp'
  return network === 'none' ? enforced(by) : enforced(`${by} listener`, linuxNotes.hosts)
}

/** What lets the notifier tell the command's own sockets from others; undefined: nothing is missing. */
function ownSocketsMissing({ listener, getfdErrno, socketsErrno }: Probe): string | undefined {
  if (!listener) return ownSocketsNeed.listener
  if (getfdErrno !== 0) return ownSocketsNeed.getfd(errnoName(getfdErrno))
  return socketsErrno === 0 ? undefined : ownSocketsNeed.diag(errnoName(socketsErrno))
}

function ownSocketsOf(probe: Probe): RightEnforcement {
  const missing = ownSocketsMissing(probe)
  if (missing !== undefined) return enforced('seccomp', linuxNotes.ownSocketsShut(missing))
  const byName = probe.landlockAbi >= signalScopeAbi ? '' : `; ${linuxNotes.ownSocketsByPath}`
  return enforced('seccomp listener', `${linuxNotes.ownSockets}${byName}`)
}

function workspaceNote(changes: Changes, { getfdErrno }: Probe): string {
  const note = linuxNotes.changes(changes)
  return getfdErrno === 0 ? note : `${note}; ${workspaceWithoutGetfd}`
}

/** Even in a private tmp. Landlock ABI 2 added renames between directories, ABI 3 truncate(2). */
function privateTmpOf({ listener, getfdErrno, landlockAbi }: Probe): RightEnforcement {
  const lacking = [
    ...(listener ? [] : [privateTmpRefuses.withoutListener]),
    ...(listener && getfdErrno !== 0 ? [privateTmpRefuses.withoutGetfd] : []),
    ...(landlockAbi < 2 ? [privateTmpRefuses.belowAbi2] : []),
    ...(landlockAbi < 3 ? [privateTmpRefuses.belowAbi3] : []),
  ]
  const note = lacking.length === 0 ? undefined : linuxNotes.privateTmp(lacking)
  return enforced(listener ? 'landlock+seccomp listener' : 'landlock', note)
}

function inSession({ sessions }: Probe, by: string): RightEnforcement {
  if (sessions) return enforced(by)
  return notEnforced(linuxNotes.sessions)
}

function denialReports({ listener, listenerErrno, yama }: Probe): RightEnforcement {
  if (!listener) return notEnforced(linuxNotes.noListener(errnoName(listenerErrno)))
  return enforced('seccomp listener', yamaNotes[Math.min(yama, 2)])
}
