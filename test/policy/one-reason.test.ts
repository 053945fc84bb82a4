import { describe, expect, it } from 'vitest'
import { makeDirectory, openTestShell } from '../helpers/place.ts'

describe('decide and execute give one verdict and one reason', () => {
  it.each([
    ['read', 'ls'],
    ['read', 'echo a >/dev/null; true'],
    ['read', 'VARIABLE=1'],
    ['workspace', 'ls'],
    ['workspace', 'mkdir a'],
    ['workspace', 'echo "$(cat a)" | sort'],
    ['write', 'ls'],
    ['write', 'git status'],
  ] as const)('in %s mode for %j', async (mode, command) => {
    const approver = async () => 'no' as const
    const shell = await openTestShell({ mode, cwd: makeDirectory(), approver })
    const { verdict, reason } = await shell.decide({ command })
    const { decision } = await shell.execute({ command })
    expect({ verdict, reason }).toEqual({ verdict: decision.verdict, reason: decision.reason })
    expect(reason.startsWith('read mode')).toBe(mode === 'read')
  })
})
