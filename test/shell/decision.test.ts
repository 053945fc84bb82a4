import { describe, expect, it } from 'vitest'
import { openShell } from '../../src/shell.ts'
import { makeDirectory } from '../helpers/place.ts'

describe('the decision about a command', () => {
  it.for([
    ['read', 'ls'],
    ['read', 'git --version'],
    ['read', 'rm missing || true'],
    ['write', 'ls'],
  ] as const)(
    'is the same from decide() as in the result of execute(): %s mode, %s',
    async ([mode, command]) => {
      const approver = async () => 'no' as const
      const shell = await openShell({ mode, cwd: makeDirectory(), approver })
      const { decision } = await shell.execute({ command })
      expect(await shell.decide({ command })).toEqual(decision)
      await shell.close()
    },
  )
})
