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

/** Runs a program where core_pattern says so. */
function runWhere({ pattern, ordinaryWithoutDumps = false }: Circumstances, words: readonly string[]) {
  const directory = makeDirectory()
  chmodSync(directory, 0o755)
  const file = join(directory, 'core_pattern')
  writeFileSync(file, `${pattern}\n`)
  const as = ['setpriv', `--reuid=${nobody.uid}`, `--regid=${nobody.gid}`, '--clear-groups']
  const limits = ordinaryWithoutDumps ? ['prlimit', '--core=0:0', ...as] : []
  const mount = 'mount --bind "$1" /proc/sys/kernel/core_pattern && shift && exec "$@"'
  const host = [...limits, process.execPath, ...words]
  return spawnSync('unshare', ['--mount', 'sh', '-c', mount, 'sh', file, ...host], {
    encoding: 'utf8',
    cwd: '/',
    env: { PATH: process.env['PATH'], HOME: '/dev/null/home' },
  })
}

const commandLine = join(readable, 'dist/cli.cjs')
const ran = { status: 0, stdout: 'ran\n', stderr: '' }
const refused = { status: 125, stdout: '', stderr: expect.stringContaining('kernel.core_pattern') }

function missing(): string | null {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'only root can mount'
  const lacking = ['unshare', 'setpriv', 'prlimit'].find((program) => !isInstalled(program))
  return lacking === undefined ? (cannotUnshare('--mount') ?? whyNot(nobody)) : `${lacking} is not installed`
}

const reason = missing()

describe.skipIf(reason !== null)(`core dumps in read mode${reason ? ` (skipped: ${reason})` : ''}`, () => {
  const socket = { pattern: '@/run/dumps.sock' }
  const program = { pattern: '|/bin/dumps %p' }

  it.each([
    ['a socket, whatever the limit', socket, refused],
    ['a program, kept from starting by the limit', program, ran],
    [
      'a program, and a hard limit that cannot be raised to that',
      { ...program, ordinaryWithoutDumps: true },
      refused,
    ],
    ['a file, and a hard limit of 0', { pattern: 'core', ordinaryWithoutDumps: true }, ran],
  ])('%s', (_, circumstances, expected) => {
    expect(runWhere(circumstances, [commandLine, 'run', '--', 'echo ran'])).toMatchObject(expected)
  })

  it('write mode runs where they go to a socket, and vitrine doctor tells of it', () => {
    expect(runWhere(socket, [commandLine, 'run', '--write', '--', 'echo ran'])).toMatchObject(ran)
    const { traps } = JSON.parse(runWhere(socket, [commandLine, 'doctor', '--json']).stdout)
    expect(traps).toContainEqual(expect.objectContaining({ id: 'core-dumps', effect: 'blocks' }))
  })
})
