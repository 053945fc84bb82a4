import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { denialReported } from '../../src/doctor/attempts.ts'
import type { RightState } from '../../src/doctor/diagnosis.ts'
import { makeDirectory, openTestShell } from '../helpers/place.ts'
import { probing } from '../sandbox/hosts.ts'

/** What the check says on a host with that ptrace_scope; where nothing is told, what it tries leads to /dev/null. */
async function stateOf(yama: number, told: boolean): Promise<RightState> {
  const directory = makeDirectory()
  if (!told) symlinkSync('/dev/null', join(directory, 'new'))
  const read = await openTestShell({ mode: 'read', host: probing({ yama }) })
  const write = await openTestShell({ mode: 'write' })
  return (await denialReported.run({ read, write, directory, program: ['true'], env: {} })).state
}

it.skipIf(process.platform !== 'linux').each<[number, boolean, RightState]>([
  [0, true, 'enforced'],
  [2, true, 'enforced'],
  [0, false, 'open'],
  [2, false, 'lacking'],
])(
  'ptrace_scope %i, told: %s: what is not told is no hole where Yama hides it',
  async (yama, told, state) => {
    expect(await stateOf(yama, told)).toBe(state)
  },
)
