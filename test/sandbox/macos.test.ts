import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { execaLauncher } from '../../src/launch/execa.ts'
import type { ProcessEnd } from '../../src/launch/launch.ts'
import { macosSandbox, type ProfileOptions, seatbeltProfile, wrapperOf } from '../../src/sandbox/macos.ts'
import { readEverything } from '../../src/sandbox/sandbox.ts'
import { makeDirectory } from '../helpers/place.ts'
import { type Attempt, judge, readProfile } from './sbpl.ts'

const tag = 'feedbeef'
const variants: Readonly<Record<string, ProfileOptions>> = {
  default: { network: false, tag },
  network: { network: true, tag },
  everything: {
    network: true,
    workspace: '/Users/me/work',
    unreadable: ['/Users/me/work/.env', '/Users/me/.ssh'],
    privateTmp: '/private/tmp/vitrine-1',
    tag,
  },
}

function rulesOf(options: ProfileOptions) {
  const { text, parameters } = seatbeltProfile(options)
  return readProfile(text, parameters)
}

describe('a profile of macOS', () => {
  it.each(Object.keys(variants))('%s is as it was written down', async (name) => {
    const { text, parameters } = seatbeltProfile(variants[name] ?? { network: false, tag })
    await expect(`${text}${JSON.stringify(parameters)}\n`).toMatchFileSnapshot(`profiles/${name}.txt`)
  })

  it('holds no path as text, and no tag but letters and digits', () => {
    const path = '/tmp/") (allow file-write*) ("'
    const { text, parameters } = seatbeltProfile({ network: false, unreadable: [path], workspace: path, tag })
    expect(text).not.toContain('/tmp/"')
    expect(Object.values(parameters)).toEqual([path, path])
    expect(() => seatbeltProfile({ network: false, tag: 'a")' })).toThrow()
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
  [{ operation: 'user-preference-write' }, 'deny'],
  [{ operation: 'network-outbound', socket: '/var/run/docker.sock' }, 'deny'],
  [{ operation: 'network-bind', socket: '/private/tmp/s' }, 'deny'],
  [{ operation: 'network-inbound' }, 'deny'],
  [{ operation: 'process-exec', path: '/bin/ls' }, 'allow'],
  [{ operation: 'process-fork' }, 'allow'],
]
const tables: Readonly<Record<string, readonly Row[]>> = {
  default: [
    ...always,
    [read('/Users/me/.ssh/id_rsa'), 'allow'],
    [{ operation: 'network-outbound' }, 'deny'],
    [{ operation: 'network-outbound', socket: '/private/var/run/mDNSResponder' }, 'deny'],
    [write('/private/tmp/vitrine-1/x'), 'deny'],
  ],
  network: [
    ...always,
    [{ operation: 'network-outbound' }, 'allow'],
    [{ operation: 'network-outbound', socket: '/private/var/run/mDNSResponder' }, 'allow'],
  ],
  everything: [
    ...always,
    [read('/Users/me/work/a.ts'), 'allow'],
    [read('/Users/me/other/a.ts'), 'deny'],
    [read('/Users/me/work/.env'), 'deny'],
    [read('/Users/me/.ssh/id_rsa'), 'deny'],
    [{ operation: 'file-read-metadata', path: '/Users/me/.ssh/id_rsa' }, 'deny'],
    [{ operation: 'file-read-metadata', path: '/Users/me/other' }, 'allow'],
    [read('/usr/lib/libSystem.dylib'), 'allow'],
    [write('/private/tmp/vitrine-1/x'), 'allow'],
    [read('/private/tmp/vitrine-1/x'), 'allow'],
    [write('/private/tmp/vitrine-10/x'), 'deny'],
  ],
}

describe.each(Object.entries(tables))('under the profile "%s"', (name, rows) => {
  it.each(rows)('%j: %s', (attempt, verdict) => {
    expect(judge(rulesOf(variants[name] ?? { network: false, tag }), attempt)).toBe(verdict)
  })
})

/** A sandbox-exec that writes its arguments down and, where it would apply a profile, runs what follows them. */
function doubleOf(exitCode = 0): { tool: string; calls(): string[][] } {
  const directory = makeDirectory()
  const log = join(directory, 'calls')
  const tool = join(directory, 'sandbox-exec')
  const script = `#!/bin/sh
for argument; do printf '%s\\0' "$argument" >> '${log}'; done
printf 'END OF CALL\\0' >> '${log}'
[ ${exitCode} = 0 ] || { echo 'sandbox-exec: sandbox_apply: Operation not permitted' >&2; exit ${exitCode}; }
while [ "$1" != -- ]; do shift; done
shift
[ "$1" = /usr/bin/true ] && exit 0
exec "$@"
`
  writeFileSync(tool, script)
  chmodSync(tool, 0o755)
  const calls = () =>
    readFileSync(log, 'utf8')
      .split('END OF CALL\0')
      .filter((call) => call !== '')
      .map((call) => call.split('\0').slice(0, -1))
  return { tool, calls }
}

describe('read mode on macOS', () => {
  it('is tried out once, before the first command', () => {
    const { tool, calls } = doubleOf()
    const sandbox = macosSandbox(tool)
    for (let times = 0; times < 2; times++)
      sandbox.confine({ network: false, reads: readEverything, privateTmp: false })
    expect(calls()).toHaveLength(1)
    expect(calls()[0]?.slice(-2)).toEqual(['--', '/usr/bin/true'])
  })

  it.each([
    [71, /Nothing ran|in a sandbox already/],
    [65, /refused the profile with exit code 65/],
  ])('is refused when sandbox-exec ends with %i', (exitCode, says) => {
    const { tool } = doubleOf(exitCode)
    expect(() =>
      macosSandbox(tool).confine({ network: false, reads: readEverything, privateTmp: false }),
    ).toThrow(says)
  })

  it('is refused where there is no sandbox-exec', () => {
    expect(() =>
      macosSandbox('/no/sandbox-exec').confine({ network: false, reads: readEverything, privateTmp: false }),
    ).toThrow(/could not be run.*ENOENT/)
  })

  it.each([false, true])(
    'gives the command to sandbox-exec, argument by argument (merged: %s)',
    async (merged) => {
      const { tool, calls } = doubleOf()
      const confinement = macosSandbox(tool).confine({
        network: false,
        reads: readEverything,
        privateTmp: false,
      })
      const line = 'printf "%s|" "$0" a\necho "  b"; echo e >&2; exit 7'
      const { end, stdout } = await launch({ line, merged, confinement })
      expect(end).toMatchObject({ kind: 'exited', code: 7 })
      expect(stdout).toBe(merged ? '/bin/sh|a|  b\ne\n' : '/bin/sh|a|  b\n')
      const [profileFlag, profile, ...rest] = calls()[1] ?? []
      expect([profileFlag, ...rest]).toEqual(['-p', '--', '/bin/sh', '-c', line])
      expect(profile).toContain('(deny file-write* (with message "')
    },
  )

  it('gives values as parameters before the command', () => {
    const profile = { text: 'TEXT', parameters: { A: '/a b', B: '-x=1' } }
    expect(wrapperOf('/t', profile)).toEqual(['/t', '-p', 'TEXT', '-DA=/a b', '-DB=-x=1', '--'])
  })
})

interface Launched {
  readonly line: string
  readonly merged: boolean
  readonly confinement: ReturnType<ReturnType<typeof macosSandbox>['confine']>
}

async function launch({ line, merged, confinement }: Launched): Promise<{ end: ProcessEnd; stdout: string }> {
  const launcher = await execaLauncher()
  let stdout = ''
  const end = await new Promise<ProcessEnd>((resolve) => {
    launcher.launch(
      {
        candidates: ['/bin/sh'],
        argv: ['sh', '-c', line],
        limits: null,
        terminal: null,
        environment: { PATH: '/usr/bin:/bin' },
        cwd: '/',
        stdin: null,
        merged,
        confinement,
      },
      {
        output: (stream, chunk) => {
          if (stream === 'stdout') stdout += chunk.toString()
        },
        started: () => {},
        end: resolve,
      },
    )
  })
  return { end, stdout }
}
