import { constants } from 'node:os'
import { describe, expect, it } from 'vitest'
import { report } from '../../src/doctor/doctor.ts'
import { readSystem, type System, trapsOf } from '../../src/doctor/system.ts'
import type { HostSupport } from '../../src/internal.ts'
import { doctorReport } from '../../src/messages/cli/doctor.ts'
import { realAddon } from '../sandbox/hosts.ts'

const { ENOSYS, EOPNOTSUPP, EPERM, EBUSY, EINVAL } = constants.errno
type Probe = NonNullable<HostSupport['probe']>

/** All that vitrine uses. */
const everything: Probe = {
  ...realAddon().probe(),
  ...{
    trialErrno: 0,
    landlockAbi: 7,
    landlockErrno: 0,
    seccomp: true,
    listener: true,
    listenerProves: true,
    pidfd: true,
    getfdErrno: 0,
    coreDumpsErrno: 0,
    yama: 0,
  },
}
const plain: System = {
  ...{ kernel: '6.12.0', architecture: 'x86_64', user: 'ordinary', families: ['debian'], filtered: false },
}

/** What the doctor finds on such a system. */
function find(probe: Partial<Probe>, system: Partial<System> = {}, available = false) {
  const host: HostSupport = { platform: 'linux', probe: { ...everything, ...probe } }
  return trapsOf({ system: { ...plain, ...system }, host, unavailable: available ? undefined : unavailable })
}

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
    [
      'nested-listener',
      { landlockAbi: 5, listener: false, listenerErrno: EBUSY },
      {},
      /seccomp listener/,
      /LXD/,
    ],
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
    ['nested-listener', { listener: false, listenerErrno: EBUSY }, {}, /seccomp listener/, /LXD/],
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

describe('what a system is', () => {
  const files = (all: Readonly<Record<string, string>>) => (path: string) => all[path]
  const look = (all: Readonly<Record<string, string>>, kernel = '6.1.0', env = {}) =>
    readSystem(files(all), kernel, env)

  it('where no file can be read, only what Node knows', () => {
    expect(look({})).toEqual({
      ...{ kernel: '6.1.0', architecture: expect.any(String), user: expect.any(String) },
      ...{ families: [], filtered: false },
    })
  })

  it('the distribution and what it is like', () => {
    const release = 'PRETTY_NAME="Linux Mint 22"\nID=linuxmint\nID_LIKE="ubuntu debian"\n'
    expect(look({ '/etc/os-release': release })).toMatchObject({
      distribution: 'Linux Mint 22',
      families: ['linuxmint', 'ubuntu', 'debian'],
    })
    expect(look({ '/usr/lib/os-release': "ID='arch'\n" }).families).toEqual(['arch'])
  })

  it.for<[number | undefined, string]>([
    [1, '4.4.0-19041-Microsoft'],
    [2, '5.15.167.4-microsoft-standard-WSL2'],
    [undefined, '6.8.0-1017-azure'],
  ])('WSL %s is known by %s', ([wsl, kernel]) => expect(look({}, kernel).wsl).toBe(wsl))

  it('a container, by what each leaves', () => {
    expect(look({ '/.dockerenv': '' }).container).toBe('docker')
    expect(look({ '/run/.containerenv': '' }).container).toBe('podman')
    expect(look({ '/run/systemd/container': 'lxc\n' }).container).toBe('lxc')
    expect(look({}, '6.1.0', { container: 'systemd-nspawn' }).container).toBe('systemd-nspawn')
    expect(look({ '/.dockerenv': '' }, '6.1.0', { KUBERNETES_SERVICE_HOST: 'x' }).container).toBe(
      'kubernetes',
    )
  })

  it('hidepid of the /proc that counts', () => {
    const mounts = (options: string) => ({
      '/proc/self/mountinfo': `22 1 0:5 / / rw - ext4 /dev/x rw\n23 22 0:21 / /proc rw - proc proc ${options}\n`,
    })
    expect(look(mounts('rw,hidepid=invisible')).hidepid).toBe('invisible')
    expect(look(mounts('rw,gid=4,hidepid=2')).hidepid).toBe('2')
    expect(look(mounts('rw,hidepid=off')).hidepid).toBeUndefined()
    expect(look(mounts('rw')).hidepid).toBeUndefined()
  })

  it('modules, filters, profiles', () => {
    const found = look({
      '/sys/kernel/security/lsm': 'capability,landlock\n',
      '/proc/self/status': 'Name:\tx\nSeccomp:\t2\n',
      '/proc/sys/vm/memfd_noexec': '2\n',
      '/proc/self/attr/apparmor/current': 'docker-default (enforce)\n',
      '/sys/fs/selinux/enforce': '1',
      '/proc/self/attr/current': 'system_u:system_r:container_t:s0\0',
    })
    expect(found).toMatchObject({
      ...{ lsms: ['capability', 'landlock'], filtered: true, memfdNoexec: 2 },
      ...{ apparmor: 'docker-default (enforce)', selinux: 'system_u:system_r:container_t:s0' },
    })
    expect(look({ '/proc/self/attr/apparmor/current': 'unconfined\n' }).apparmor).toBeUndefined()
  })
})

describe('in words', () => {
  const host: HostSupport = { platform: 'linux', probe: { ...everything, yama: 2 } }
  const right = { right: 'ipc', by: 'seccomp', attempt: 'x', said: '' } as const
  const found = { system: plain, host, unavailable: undefined }
  const diagnosis = report(found, [{ ...right, state: 'enforced' }])

  it('a trap stands below the table, with what to do about it', () => {
    const text = doctorReport(diagnosis)
    expect(text).toContain('  - Set kernel.yama.ptrace_scope = 1')
  })

  it('no line is wider than 100 columns, whatever is said', () => {
    const said = `${'a very long sentence '.repeat(12)}${'x'.repeat(150)}`
    const text = doctorReport({ ...diagnosis, rights: [{ ...right, said, attempt: said, state: 'open' }] })
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100)
    expect(text.replaceAll(/\s+/g, '')).toContain('x'.repeat(100))
  })

  it('the verdict is by the rights', () => {
    const verdict = (...states: ('enforced' | 'open' | 'untried' | 'lacking')[]) =>
      report(
        found,
        states.map((state) => ({ ...right, state })),
      ).verdict
    expect(verdict('enforced', 'untried')).toBe('enforced')
    expect(verdict('enforced', 'open')).toBe('not-enforced')
    expect(verdict('enforced', 'lacking')).toBe('partly')
    expect(verdict('untried')).toBe('untried')
    expect(verdict()).toBe('untried')
  })
})
