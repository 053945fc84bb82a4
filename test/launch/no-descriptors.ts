import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { builtLibrary, isInstalled, repository } from '../helpers/programs.ts'

const host = join(repository, 'test/fixtures/host/no-descriptors.mjs')

/** A host that has so many descriptors left: each lacks another one. */
export function tryWithout(lefts: readonly number[]): void {
  it.skipIf(!isInstalled('prlimit'))(
    'a host without descriptors at its first command is told, and runs the next (needs prlimit)',
    () => {
      for (const left of lefts) {
        const printed = execFileSync(
          'prlimit',
          ['--nofile=64:64', process.execPath, host, builtLibrary, String(left)],
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
}
