import { describe, expect, it } from 'vitest'
import { openTestShell } from '../helpers/place.ts'

describe('decide and execute give one verdict and one reason', () => {
  it.each([
    ['read', 'ls'],
    ['read', 'echo a >/dev/null; true'],
    ['read', 'VARIABLE=1'],
    ['write', 'ls'],
    ['write', 'git status'],
  ] as const)('in %s mode for %j', async (mode, command) => {
    const shell = await openTestShell({ mode })
    const { verdict, reason } = await shell.decide({ command })
    const { decision } = await shell.execute({ command })
    expect({ verdict, reason }).toEqual({ verdict: decision.verdict, reason: decision.reason })
  })
})
