import { constants } from 'node:os'
import { type Host, thisHost } from '../../src/host/host.ts'
import type { Addon } from '../../src/launch/addon.ts'
import type { Probe } from '../../src/sandbox/sandbox.ts'

/** A host that lacks something. */
export interface LackingHost {
  readonly what: string
  host(): Host
  /** What SANDBOX_UNAVAILABLE says. */
  readonly says: RegExp
}

/** This host's addon; the tests of the sandbox need one. */
export function realAddon(): Addon {
  const { addon } = thisHost()
  if ('missing' in addon) throw new Error(`these tests need the addon: ${addon.missing}`)
  return addon
}

/** This host as if its kernel offered less. */
export function probing(less: Partial<Probe>): Host {
  const addon = realAddon()
  return { platform: 'linux', addon, probe: { ...addon.probe(), ...less } }
}

/** A host without an addon. */
export function addonless(platform: Host['platform'] = 'linux', missing = 'no build was found'): Host {
  return { platform, addon: { missing } }
}

/** This host, where the watcher does not start. */
function watcherless(): Host {
  const addon = realAddon()
  return { ...probing({}), addon: { ...addon, watch: () => constants.errno.EACCES } }
}

const { ENOSYS, EOPNOTSUPP, EPERM, EBUSY, EINVAL, EPROTONOSUPPORT } = constants.errno
const noLandlock = (landlockErrno: number) => () => probing({ landlockAbi: 0, landlockErrno })

export const lackingHosts: readonly LackingHost[] = [
  { what: 'no addon', host: () => addonless(), says: /native addon.*no build was found.*npm run build/ },
  { what: 'a kernel without Landlock', host: noLandlock(ENOSYS), says: /Landlock .*5\.13.*without Landlock/ },
  { what: 'Landlock disabled at boot', host: noLandlock(EOPNOTSUPP), says: /disabled at boot.*lsm=landlock/ },
  { what: 'Landlock blocked by a container', host: noLandlock(EPERM), says: /container or policy blocks/ },
  { what: 'Landlock failing otherwise', host: noLandlock(EINVAL), says: /no Landlock: EINVAL/ },
  {
    what: 'no seccomp',
    host: () => probing({ seccomp: false, seccompErrno: EINVAL }),
    says: /seccomp filters .*CONFIG_SECCOMP_FILTER.*EINVAL/,
  },
  {
    what: 'core dumps that go to a socket',
    host: () => probing({ coreDumpsErrno: EPROTONOSUPPORT }),
    says: /core dumps kept inside.*core_pattern begins with "@"/,
  },
  {
    what: 'core dumps that go to a program whatever the limit',
    host: () => probing({ coreDumpsErrno: EPERM }),
    says: /core dumps kept inside.*core_pattern begins with "\|"/,
  },
  { what: 'no process descriptors', host: () => probing({ pidfd: false }), says: /CLONE_PIDFD, Linux 5\.2/ },
  {
    what: 'no scope for signals and no listener to judge them',
    host: () => probing({ landlockAbi: 5, listener: false, listenerErrno: EBUSY, listenerProves: false }),
    says: /signals kept inside: Landlock ABI 6 \(Linux 6\.12\).*ABI 5.*EBUSY/,
  },
  { what: 'no watcher', host: watcherless, says: /the watcher.*EACCES/ },
  { what: 'macOS', host: () => addonless('macos'), says: /sandbox-exec of macOS; this host: .*ENOENT/ },
  { what: 'Windows', host: () => addonless('windows'), says: /native addon.*no build was found/ },
]
