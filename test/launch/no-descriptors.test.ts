import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { builtLibrary, isInstalled, repository } from '../helpers/programs.ts'

const host = join(repository, 'test/fixtures/host/no-descriptors.mjs')

it.skipIf(!isInstalled('prlimit'))(
  'a host without descriptors at its first command is told, and runs the next (needs prlimit)',
  () => {
    const library = builtLibrary
    for (let left = 0; left < 16; left++) {
      const printed = execFileSync(
        'prlimit',
        ['--nofile=64:64', process.execPath, host, library, String(left)],
        {
          encoding: 'utf8',
        },
      )
      const { first, exitCode } = JSON.parse(printed)
      const ran = first.exitCode === 0
      expect(ran ? { code: 'SPAWN_FAILED', errno: 'EMFILE' } : first, `${left} left`).toMatchObject({
        code: 'SPAWN_FAILED',
        errno: 'EMFILE',
      })
      expect(exitCode, `${left} left`).toBe(0)
    }
  },
)

it.skipIf(!isInstalled('prlimit')).for(['read', 'write'])(
  'the deadline ends a command though the host has no descriptor left (%s, needs prlimit)',
  (mode) => {
    const program = join(repository, 'test/fixtures/host/full-while-it-runs.mjs')
    const printed = execFileSync(
      'prlimit',
      ['--nofile=128:128', process.execPath, program, builtLibrary, mode],
      { encoding: 'utf8' },
    )
    expect(JSON.parse(printed)).toMatchObject({
      timedOut: true,
      started: 3,
      left: 0,
      // In write mode who has left the session is known by its environment alone: reading that waits for a descriptor.
      ...(mode === 'read' && { survivorsKilled: 2 }),
    })
  },
)
