import { existsSync, readdirSync, realpathSync, statSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { type ProfileOptions, seatbeltProfile } from '../../src/sandbox/macos/profile.ts'
import { macosSandbox } from '../../src/sandbox/macos/sandbox.ts'
import { readEverything } from '../../src/sandbox/sandbox.ts'
import { makeDirectory } from '../helpers/place.ts'
import { unavailable } from './hosts.ts'
import { doubleOf, launchIn } from './macos-doubles.ts'
import { type Attempt, evaluate, readProfile } from './sbpl.ts'

describe('a profile of macOS', () => {
  it('holds no path as text', () => {
    const path = '/tmp/") (allow file-write*) ("'
    const { text, parameters } = seatbeltProfile({ network: 'none', unreadable: [path], readable: [path] })
    expect(text).not.toContain('/tmp/"')
    expect(Object.values(parameters)).toEqual([path])
  })

  it('names real paths, also of what does not exist yet', () => {
    const directory = realpathSync(makeDirectory())
    const link = join(directory, 'link')
    symlinkSync('/usr', link)
    const unreadable = [link, join(link, 'not', 'there')]
    const { parameters } = seatbeltProfile({ network: 'none', unreadable })
    expect(Object.values(parameters)).toEqual(['/usr', '/usr/not/there'])
  })

  it('spells what exists as the disk does: a rule in another case would match nothing', () => {
    const native = vi.spyOn(realpathSync, 'native').mockReturnValue('/Users/me/.ssh')
    const { parameters } = seatbeltProfile({ network: 'none', unreadable: ['/Users/me/.SSH'] })
    native.mockRestore()
    expect(Object.values(parameters)).toEqual(['/Users/me/.ssh'])
  })
})

type Row = readonly [Attempt, 'allow' | 'deny']
const write = (path: string): Attempt => ({ operation: 'file-write-data', path })
const read = (path: string): Attempt => ({ operation: 'file-read-data', path })

const always: readonly Row[] = [
  [write('/Users/me/work/a.ts'), 'deny'],
  [{ operation: 'file-write-create', path: '/private/tmp/x' }, 'deny'],
  [{ operation: 'file-write-unlink', path: '/Users/me/work/a.ts' }, 'deny'],
  [{ operation: 'file-write-mode', path: '/Users/me/work/a.ts' }, 'deny'],
  [{ operation: 'file-write-xattr', path: '/Users/me/work/a.ts' }, 'deny'],
  [{ operation: 'file-write-times', path: '/dev/nullx' }, 'deny'],
  [write('/dev/null'), 'allow'],
  [write('/dev/fd/1'), 'allow'],
  [write('/dev/tty'), 'deny'],
  [write('/dev/ttys001'), 'deny'],
  [write('/dev/disk0'), 'deny'],
  [{ operation: 'file-mount', path: '/Volumes/x' }, 'deny'],
  [{ operation: 'file-unmount', path: '/Volumes/x' }, 'deny'],
  [{ operation: 'mach-lookup', service: 'com.apple.coreservices.launchservicesd' }, 'deny'],
  [{ operation: 'mach-lookup', service: 'com.apple.system.opendirectoryd.libinfo' }, 'allow'],
  [{ operation: 'lsopen' }, 'deny'],
  [{ operation: 'appleevent-send' }, 'deny'],
  [{ operation: 'job-creation' }, 'deny'],
  [{ operation: 'signal', target: 'same-sandbox' }, 'allow'],
  [{ operation: 'signal', target: 'others' }, 'deny'],
  [{ operation: 'ipc-posix-shm-write-create' }, 'deny'],
  [{ operation: 'sysctl-write' }, 'deny'],
  [{ operation: 'sysctl-write', sysctl: 'kern.hostname' }, 'deny'],
  [{ operation: 'sysctl-write', sysctl: 'kern.grade_cputype' }, 'allow'],
  [{ operation: 'file-link', path: '/Users/me/work/linked' }, 'deny'],
  [{ operation: 'file-clone', path: '/Users/me/work', directory: true }, 'deny'],
  [{ operation: 'file-clone', path: '/Users/me/work/a.ts' }, 'allow'],
  [{ operation: 'user-preference-write' }, 'deny'],
  [{ operation: 'network-outbound', socket: '/var/run/docker.sock' }, 'deny'],
  [{ operation: 'network-bind', socket: '/private/tmp/s' }, 'deny'],
  [{ operation: 'network-inbound' }, 'deny'],
  [{ operation: 'process-exec', path: '/bin/ls' }, 'allow'],
  [{ operation: 'process-fork' }, 'allow'],
]
const everything: ProfileOptions = {
  network: 'all',
  readable: ['/Users/me/work', '/Users/me/.rustup'],
  names: {
    beneath: '/Users/me/work',
    patterns: ['.env', '.env.*'],
    except: ['.env.example'],
    skip: ['node_modules'],
  },
  unreadable: ['/Users/me/work/hidden', '/Users/me/.ssh'],
  privateTmp: '/private/tmp/vitrine-1',
}
const profiles: readonly (readonly [name: string, ProfileOptions, readonly Row[]])[] = [
  [
    'default',
    { network: 'none' },
    [
      ...always,
      [read('/Users/me/.ssh/id_rsa'), 'allow'],
      [{ operation: 'network-outbound' }, 'deny'],
      [{ operation: 'network-outbound', socket: '/private/var/run/mDNSResponder' }, 'deny'],
      [write('/private/tmp/vitrine-1/x'), 'deny'],
    ],
  ],
  [
    'network',
    { network: 'all' },
    [
      ...always,
      [{ operation: 'network-outbound' }, 'allow'],
      [{ operation: 'network-outbound', socket: '/private/var/run/mDNSResponder' }, 'allow'],
    ],
  ],
  [
    'everything',
    everything,
    [
      ...always,
      [read('/Users/me/work/a.ts'), 'allow'],
      [read('/Users/me/other/a.ts'), 'deny'],
      [read('/Users/me/.rustup/settings.toml'), 'allow'],
      [read('/Users/me/work/.env'), 'deny'],
      [read('/Users/me/work/deep/.env.local'), 'deny'],
      [{ operation: 'file-read-xattr', path: '/Users/me/work/.env' }, 'deny'],
      [read('/Users/me/work/.env.example'), 'allow'],
      [read('/Users/me/work/xenv'), 'allow'],
      [read('/Users/me/work/.environment'), 'allow'],
      [read('/Users/me/work/.env.d/x'), 'allow'],
      [{ ...read('/Users/me/work/.env'), directory: true }, 'allow'],
      [read('/Users/me/work/hidden/x'), 'deny'],
      [read('/Users/me/work/hidden/.env.example'), 'deny'],
      [{ ...read('/Users/me/work/hidden'), directory: true }, 'allow'],
      [{ ...read('/Users/me/other'), directory: true }, 'deny'],
      [read('/Users/me/.ssh/id_rsa'), 'deny'],
      [{ operation: 'file-read-metadata', path: '/Users/me/.ssh/id_rsa' }, 'allow'],
      [{ operation: 'file-read-metadata', path: '/Users/me/other' }, 'allow'],
      [read('/usr/lib/libSystem.dylib'), 'allow'],
      [write('/private/tmp/vitrine-1/x'), 'allow'],
      [read('/private/tmp/vitrine-1/x'), 'allow'],
      [write('/private/tmp/vitrine-10/x'), 'deny'],
      [{ operation: 'file-link', path: '/private/tmp/vitrine-1/x' }, 'deny'],
      [{ operation: 'file-mknod', path: '/private/tmp/vitrine-1/x' }, 'deny'],
      [{ operation: 'file-write-setugid', path: '/private/tmp/vitrine-1/x' }, 'deny'],
    ],
  ],
]

describe.each(profiles)('under the profile "%s"', (_name, options, rows) => {
  const { text, parameters } = seatbeltProfile(options)
  const rules = readProfile(text, parameters)
  it.each(rows)('%j: %s', (attempt, verdict) => {
    expect(evaluate(rules, attempt)).toBe(verdict)
  })
})

describe('read mode on macOS', () => {
  const options = { network: 'none', reads: readEverything, privateTmp: false, changes: null } as const

  it('is tried out with its own profile, before the first command', () => {
    const { tool, calls } = doubleOf()
    const readable = { workspace: '/usr', others: ['/opt'], unlinked: [] }
    macosSandbox(tool).confine({ ...options, reads: { ...readEverything, readable } })
    expect(calls()).toHaveLength(1)
    const [flag, profile, ...rest] = calls()[0] ?? []
    expect([flag, ...rest]).toEqual(['-p', '-DPATH_0=/usr', '-DPATH_1=/opt', '--', '/usr/bin/true'])
    expect(profile).toContain('(allow file-read-data (subpath (param "PATH_1")))')
  })

  it.each([71, 65])('is refused when sandbox-exec ends with %i', (exitCode) => {
    expect(() => macosSandbox(doubleOf(exitCode).tool).confine(options)).toThrow(unavailable(''))
  })

  it('is refused where there is no sandbox-exec', () => {
    expect(() => macosSandbox('/no/sandbox-exec').confine(options)).toThrow(unavailable('ENOENT'))
  })

  it.each([false, true])(
    'gives the command to sandbox-exec, argument by argument (merged: %s)',
    async (merged) => {
      const { tool, calls } = doubleOf()
      const sandbox = macosSandbox(tool)
      const line = 'printf "%s|" "$0" a\necho "  b"; echo e >&2; exit 7'
      const { end, stdout } = await launchIn(sandbox.confine(options), line, { merged })
      expect(end).toMatchObject({ kind: 'exited', code: 7 })
      expect(stdout).toBe(merged ? '/bin/sh|a|  b\ne\n' : '/bin/sh|a|  b\n')
      const [profileFlag, profile, ...rest] = calls()[1] ?? []
      expect([profileFlag, ...rest]).toEqual(['-p', '--', '/bin/sh', '-c', line])
      expect(profile).toContain('(deny file-write*)')
    },
  )

  it('gives one command a directory of its own, by its real path, and removes it', async () => {
    const { tool, calls } = doubleOf()
    const sandbox = macosSandbox(tool)
    const confinement = sandbox.confine({ ...options, privateTmp: true })
    const temporary = makeDirectory()
    const link = join(makeDirectory(), 'tmp')
    symlinkSync(temporary, link)
    const directory = sandbox.privateDirectories?.make(link)
    if (!directory) throw new Error('there is no private tmp')
    expect(statSync(directory.path).mode & 0o777).toBe(0o700)
    const granted = sandbox.privateDirectories?.grant(confinement, directory.path)
    await launchIn(
      granted ?? confinement,
      `mkdir -p '${directory.path}/a/b'; ln -s /usr '${directory.path}/usr'`,
    )
    await launchIn(confinement, 'true')
    expect(await directory.remove()).toBeUndefined()
    expect(readdirSync(temporary)).toEqual([])
    const [tried = [], own = [], other = []] = calls()
    expect(tried.join('')).toContain('(allow file-write* (subpath (param "PATH_0")))')
    expect(own.at(2)).toBe(`-DPATH_0=${directory.path}`)
    expect(dirname(directory.path)).toBe(realpathSync(temporary))
    expect(own.at(1)).toContain('(allow file-write* (subpath (param "PATH_0")))')
    expect(other.join('')).not.toContain('PATH_0')
  })

  it('asks it to end first, and gives it the grace', async () => {
    const sandbox = macosSandbox(doubleOf().tool)
    const directory = makeDirectory()
    const left = `sh -c 'trap "sleep 0.4; : > asked; exit" TERM; : > there; while :; do sleep 0.02; done'`
    const line = `cd '${directory}'; ${left} & until [ -e there ]; do sleep 0.02; done`
    const { end } = await launchIn(sandbox.confine(options), line, { graceMs: 20_000 })
    expect(end).toMatchObject({ kind: 'exited', code: 0, survivors: { killed: 1, alive: 0 } })
    expect(existsSync(join(directory, 'asked'))).toBe(true)
  })
})
