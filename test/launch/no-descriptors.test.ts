import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { builtLibrary, isInstalled, repository } from '../helpers/programs.ts'

/** What a host with few descriptors prints. */
function printed(script: string, ...args: readonly string[]) {
  const host = join(repository, 'test/fixtures/host', script)
  const argv = ['--nofile=128:128', process.execPath, host, builtLibrary, ...args]
  return JSON.parse(execFileSync('prlimit', argv, { encoding: 'utf8' }))
}

/** Each number lacks another one. */
const rows = [
  ...['read', 'write'].flatMap((mode) => [['opening', mode, 0] as const, ['running', mode, 0] as const]),
  ...Array.from({ length: 15 }, (_, at) => ['running', 'read', at + 1] as const),
]

describe.skipIf(!isInstalled('prlimit'))('a host without descriptors (needs prlimit)', () => {
  it.for(rows)('is told, and runs the next command: %s, %s mode, %d left', ([when, mode, left]) => {
    const { full, later } = printed('no-descriptors.mjs', when, mode, String(left))
    expect(later).toBe('ran\n')
    if (when === 'running' && full !== later) expect(full).toEqual({ code: 'SPAWN_FAILED', errno: 'EMFILE' })
  })

  it.for(['read', 'write'])('ends a command at its deadline: %s', (mode) => {
    expect(printed('full-while-it-runs.mjs', mode)).toMatchObject({
      timedOut: true,
      started: 3,
      left: 0,
      // What would explain the result cannot be loaded.
      hint: expect.stringContaining('could not be loaded (EMFILE)'),
      // In write mode who has left the session is known by its environment alone: reading that waits for a descriptor.
      ...(mode === 'read' && { survivorsKilled: 2 }),
    })
  })
})
