import { spawnSync } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { nobody, whyNot } from '../helpers/other-users.ts'
import { makeDirectory } from '../helpers/place.ts'
import { isInstalled, readable } from '../helpers/programs.ts'
import { cannotUnshare } from '../helpers/surroundings.ts'

interface Circumstances {
  /** What stands in /proc/sys/kernel/core_pattern, in a mount namespace: the machine's own stays as it is. */
  readonly pattern: string
  /** The hard limit of core dumps is 0, and this user cannot raise it. */
  readonly ordinaryWithoutDumps?: boolean
}

/** Runs a program where core_pattern says so. `file` in its words stands for the file that is mounted there. */
function runWhere({ pattern, ordinaryWithoutDumps = false }: Circumstances, words: readonly string[]) {
  const directory = makeDirectory()
  chmodSync(directory, 0o755)
  const file = join(directory, 'core_pattern')
  writeFileSync(file, `${pattern}\n`)
  const as = ['setpriv', `--reuid=${nobody.uid}`, `--regid=${nobody.gid}`, '--clear-groups']
  const limits = ordinaryWithoutDumps ? ['prlimit', '--core=0:0', ...as] : []
  const mount = 'mount --bind "$1" /proc/sys/kernel/core_pattern && shift && exec "$@"'
  const host = [...limits, process.execPath, ...words.map((word) => (word === '{file}' ? file : word))]
  return spawnSync('unshare', ['--mount', 'sh', '-c', mount, 'sh', file, ...host], {
    encoding: 'utf8',
    cwd: '/',
    env: { PATH: process.env['PATH'], HOME: '/dev/null/home' },
  })
}

const commandLine = join(readable, 'dist/cli.cjs')
const ran = { status: 0, stdout: 'ran\n' }

function missing(): string | null {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'only root can mount'
  const lacking = ['unshare', 'setpriv', 'prlimit'].find((program) => !isInstalled(program))
  return lacking === undefined ? (cannotUnshare('--mount') ?? whyNot(nobody)) : `${lacking} is not installed`
}

const reason = missing()

describe.skipIf(reason !== null)(`core dumps in read mode${reason ? ` (skipped: ${reason})` : ''}`, () => {
  const echo = [commandLine, 'run', '--', 'echo ran']

  it('a socket takes them whatever the limit: read mode refuses, and names the setting', () => {
    const { status, stdout, stderr } = runWhere({ pattern: '@/run/dumps.sock' }, echo)
    expect({ status, stdout }).toEqual({ status: 125, stdout: '' })
    expect(stderr).toContain('kernel.core_pattern')
  })

  it('vitrine doctor says so', () => {
    const { stdout } = runWhere({ pattern: '@/run/dumps.sock' }, [commandLine, 'doctor', '--json'])
    const { traps } = JSON.parse(stdout) as { readonly traps: readonly { readonly id: string }[] }
    expect(traps).toContainEqual(expect.objectContaining({ id: 'core-dumps', effect: 'blocks' }))
  })

  it('write mode runs all the same', () => {
    const line = [commandLine, 'run', '--write', '--', 'echo ran']
    const { status, stdout } = runWhere({ pattern: '@/run/dumps.sock' }, line)
    expect({ status, stdout }).toEqual(ran)
  })

  it.each([
    ['a program, kept from starting by the limit', { pattern: '|/bin/dumps %p' }, ran],
    [
      'a program, and a hard limit that cannot be raised to that',
      { pattern: '|/bin/dumps %p', ordinaryWithoutDumps: true },
      { status: 125, stdout: '' },
    ],
    ['a file, and a hard limit of 0', { pattern: 'core', ordinaryWithoutDumps: true }, ran],
  ])('%s', (_, circumstances, expected) => {
    const { status, stdout } = runWhere(circumstances, echo)
    expect({ status, stdout }).toEqual(expected)
  })
})
