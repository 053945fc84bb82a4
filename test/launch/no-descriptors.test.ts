import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { builtLibrary, isInstalled, repository } from '../helpers/programs.ts'

/** What a host with so many descriptors prints. */
function printed(most: number, script: string, ...args: readonly string[]) {
  const host = join(repository, 'test/fixtures/host', script)
  const argv = [`--nofile=${most}:${most}`, process.execPath, host, builtLibrary, ...args]
  return JSON.parse(execFileSync('prlimit', argv, { encoding: 'utf8' }))
}

describe.skipIf(!isInstalled('prlimit'))('a host without descriptors (needs prlimit)', () => {
  it('at its first command is told, and runs the next', () => {
    // Each lacks another one.
    for (let left = 0; left < 16; left++) {
      const { first, exitCode } = printed(64, 'no-descriptors.mjs', String(left))
      const refused = { code: 'SPAWN_FAILED', errno: 'EMFILE' }
      expect(first.exitCode === 0 ? refused : first, `${left} left`).toMatchObject(refused)
      expect(exitCode, `${left} left`).toBe(0)
    }
  })

  it.for(['read', 'write'])('ends a command at its deadline: %s', (mode) => {
    expect(printed(128, 'full-while-it-runs.mjs', mode)).toMatchObject({
      timedOut: true,
      started: 3,
      left: 0,
      // What would explain the result cannot be loaded.
      hint: expect.stringContaining('could not be loaded (EMFILE)'),
      // In write mode who has left the session is known by its environment alone: reading that waits for a descriptor.
      ...(mode === 'read' && { survivorsKilled: 2 }),
    })
  })

  it.for([
    ['opening', 'read'],
    ['opening', 'write'],
    ['running', 'read'],
    ['running', 'write'],
  ] as const)('for a while runs commands later: %s, %s mode', ([when, mode]) => {
    const { full, later } = printed(128, 'full-for-a-while.mjs', when, mode, '0')
    expect(later).toBe('ran\n')
    if (when === 'running') expect(full).toEqual({ name: 'VitrineError', code: 'SPAWN_FAILED' })
  })
})
