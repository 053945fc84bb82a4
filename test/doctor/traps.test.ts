import { constants } from 'node:os'
import { describe, expect, it } from 'vitest'
import { type System, trapsOf } from '../../src/doctor/system.ts'
import type { HostSupport } from '../../src/internal.ts'
import { realAddon } from '../sandbox/hosts.ts'

const { ENOSYS, EOPNOTSUPP, EPERM, EBUSY, EINVAL } = constants.errno
type Probe = NonNullable<HostSupport['probe']>

/** All that vitrine uses. */
const everything: Probe = {
  ...realAddon().probe(),
  ...{ trialErrno: 0, landlockAbi: 7, landlockErrno: 0, getfdErrno: 0, coreDumpsErrno: 0, yama: 0 },
  ...{ seccomp: true, listener: true, listenerProves: true, pidfd: true },
}
const plain: System = {
  ...{ kernel: '6.12.0', architecture: 'x86_64', user: 'ordinary', families: ['debian'], filtered: false },
}

/** What the doctor finds on such a system. */
function find(probe: Partial<Probe>, system: Partial<System> = {}, available = false) {
  const host: HostSupport = { platform: 'linux', probe: { ...everything, ...probe } }
  return trapsOf({ system: { ...plain, ...system }, host, unavailable: available ? undefined : unavailable })
}

const nested = { listener: false, listenerErrno: EBUSY }
const noLandlock = (landlockErrno: number) => ({ landlockAbi: 0, landlockErrno })
const unavailable = { code: 'SANDBOX_UNAVAILABLE', wanted: '', got: '', remedy: '' } as const
const lsms = ['capability', 'landlock', 'yama']

it('where nothing is missing there is no trap', () => {
  expect(find({}, {}, true)).toEqual([])
})

describe('what blocks read mode', () => {
  it.for<[string, Partial<Probe>, Partial<System>, RegExp, RegExp]>([
    ['old-kernel', noLandlock(ENOSYS), { kernel: '5.10.0-9-amd64' }, /5\.10\.0-9-amd64/, /6\.12/],
    ['old-kernel', noLandlock(ENOSYS), { kernel: '4.18.0', container: 'docker' }, /4\.18\.0/, /machine that/],
    ['old-kernel', noLandlock(ENOSYS), { wsl: 1, kernel: '4.4.0-19041-Microsoft' }, /4\.4/, /--set-version/],
    ['landlock-filtered', noLandlock(EPERM), { container: 'docker' }, /docker/, /Docker.*23\.0/],
    ['landlock-filtered', noLandlock(ENOSYS), { filtered: true }, /landlock_/, /SystemCallFilter=/],
    ['landlock-filtered', noLandlock(ENOSYS), { lsms }, /landlock_/, /landlock_restrict_self/],
    ['landlock-disabled', noLandlock(EOPNOTSUPP), { lsms: ['yama'] }, /yama/, /lsm=landlock,yama/],
    ['landlock-disabled', noLandlock(EOPNOTSUPP), {}, /Landlock/, /cat \/sys\/kernel\/security\/lsm/],
    ['core-dumps', { coreDumpsErrno: EPERM }, {}, /kernel\.core_pattern/, /sysctl/],
    ['nested-listener', { ...nested, landlockAbi: 5 }, {}, /seccomp listener/, /LXD/],
    ['memfd-noexec', {}, { memfdNoexec: 2 }, /memfd_noexec/, /sysctl vm\.memfd_noexec=1/],
  ])('%s: %o %o', ([id, probe, system, seen, fix]) => {
    const [trap, ...others] = find(probe, system)
    expect(others).toEqual([])
    expect(trap).toMatchObject({ id, effect: 'blocks', seen: expect.stringMatching(seen) })
    expect(trap?.fix.join('\n')).toMatch(fix)
  })

  it('no addon', () => {
    const host: HostSupport = { platform: 'linux', missing: 'no build was found' }
    const [trap] = trapsOf({ system: plain, host, unavailable })
    expect(trap).toMatchObject({ id: 'no-addon', effect: 'blocks' })
    expect(trap?.seen).toContain('no build was found')
  })
})

describe('what takes something from it', () => {
  it.for<[string, Partial<Probe>, Partial<System>, seen: RegExp, fix: RegExp]>([
    ['nested-listener', nested, {}, /seccomp listener/, /LXD/],
    ['no-listener', { listener: false, listenerErrno: EINVAL }, {}, /5\.0/, /NEW_LISTENER/],
    ['getfd-filtered', { getfdErrno: EPERM }, {}, /pidfd_getfd/, /systemd/],
    ['getfd-filtered', { getfdErrno: EPERM }, { container: 'docker' }, /docker/, /--cap-add SYS_PTRACE/],
    ['yama-paths', { yama: 3 }, {}, /ptrace_scope 3/, /sysctl\.d.*reboot/],
  ])('%s: %o %o', ([id, probe, system, seen, fix]) => {
    const [trap, ...others] = find(probe, system, true)
    expect(others).toEqual([])
    expect(trap).toMatchObject({ id, effect: 'weakens', seen: expect.stringMatching(seen) })
    expect(trap?.fix.join('\n')).toMatch(fix)
  })
})
