import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { builtLibrary, isInstalled, repository } from '../helpers/programs.ts'

const host = join(repository, 'test/fixtures/processes/no-descriptors.mjs')

it.skipIf(!isInstalled('prlimit'))(
  'a host that runs out of descriptors at its first command is told so, lives on, and runs the next (needs prlimit)',
  () => {
    const library = builtLibrary()
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
