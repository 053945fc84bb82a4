import { constants } from 'node:os'
import { expect } from 'vitest'
import { type Host, thisHost } from '../../src/host/host.ts'
import type { Addon } from '../../src/launch/addon.ts'
import type { Probe } from '../../src/sandbox/sandbox.ts'

/** A host that lacks something. */
interface LackingHost {
  readonly what: string
  host(): Host
  /** Names that the facts of SANDBOX_UNAVAILABLE hold: errnos, kernel options, versions, commands. */
  readonly names: readonly string[]
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

const { EAGAIN, ENOSYS, EOPNOTSUPP, EPERM, EBUSY, EINVAL, EPROTONOSUPPORT } = constants.errno
const noLandlock = (landlockErrno: number) => () => probing({ landlockAbi: 0, landlockErrno })

export const lackingHosts: readonly LackingHost[] = [
  { what: 'no addon', host: () => addonless(), names: ['no build was found', 'npm run build'] },
  { what: 'a kernel without Landlock', host: noLandlock(ENOSYS), names: ['5.13'] },
  { what: 'Landlock disabled at boot', host: noLandlock(EOPNOTSUPP), names: ['lsm=landlock'] },
  { what: 'Landlock blocked by a container', host: noLandlock(EPERM), names: ['Landlock'] },
  { what: 'Landlock failing otherwise', host: noLandlock(EINVAL), names: ['EINVAL'] },
  { what: 'no further process', host: () => probing({ trialErrno: EAGAIN }), names: ['EAGAIN', 'ulimit -u'] },
  {
    what: 'no seccomp',
    host: () => probing({ seccomp: false, seccompErrno: EINVAL }),
    names: ['CONFIG_SECCOMP_FILTER', 'EINVAL'],
  },
  {
    what: 'core dumps that go to a socket',
    host: () => probing({ coreDumpsErrno: EPROTONOSUPPORT }),
    names: ['core_pattern', '"@"'],
  },
  {
    what: 'core dumps that go to a program whatever the limit',
    host: () => probing({ coreDumpsErrno: EPERM }),
    names: ['core_pattern', '"|"'],
  },
  { what: 'no process descriptors', host: () => probing({ pidfd: false }), names: ['CLONE_PIDFD', '5.2'] },
  {
    what: 'no scope for signals and no listener to judge them',
    host: () => probing({ landlockAbi: 5, listener: false, listenerErrno: EBUSY, listenerProves: false }),
    names: ['ABI 6', 'ABI 5', 'EBUSY'],
  },
  { what: 'no watcher', host: watcherless, names: ['EACCES'] },
  { what: 'macOS', host: () => addonless('macos'), names: ['sandbox-exec', 'ENOENT'] },
  { what: 'Windows', host: () => addonless('windows'), names: ['no build was found'] },
]

/**
 * Matches the refusal of a sandbox.
 * @param got a name or number that stands in what was found
 */
export const unavailable = (got: string): unknown =>
  expect.objectContaining({
    code: 'SANDBOX_UNAVAILABLE',
    refusal: expect.objectContaining({ got: expect.stringContaining(got) }),
  })
