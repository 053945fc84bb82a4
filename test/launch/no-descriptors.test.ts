import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { builtLibrary, isInstalled, repository } from '../helpers/programs.ts'
import { tryWithout } from './no-descriptors.ts'

/** no-descriptors.deep.test.ts has every number below 16. */
tryWithout([0, 3, 6, 9, 12, 15])

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

const hosts = ['opening', 'running'].flatMap((when) => ['read', 'write'].map((mode) => [when, mode] as const))

it.skipIf(!isInstalled('prlimit')).for(hosts)(
  'a host that once had no descriptor left runs commands later (%s, %s mode, needs prlimit)',
  ([when, mode]) => {
    const program = join(repository, 'test/fixtures/host/full-for-a-while.mjs')
    const printed = execFileSync(
      'prlimit',
      ['--nofile=128:128', process.execPath, program, builtLibrary, when, mode, '0'],
      { encoding: 'utf8' },
    )
    const { full, later } = JSON.parse(printed)
    expect(later).toBe('ran\n')
    if (when === 'running') expect(full).toEqual({ name: 'VitrineError', code: 'SPAWN_FAILED' })
  },
)
