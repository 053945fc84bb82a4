import { describe, expect, it } from 'vitest'
import { openShell } from '../../src/shell.ts'
import { makeDirectory, openTestShell } from '../helpers/place.ts'

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

it('a pager among the variables of one command is asked about, and cat is not', async () => {
  const cwd = makeDirectory()
  const shell = await openTestShell({ cwd, mode: 'write', toml: '[policy]\nunattended = "deny"\n' })
  const decide = async (env: Record<string, string | undefined>) =>
    (await shell.decide({ command: 'git log', env })).verdict
  for (const name of ['GIT_PAGER', 'PAGER', 'MANPAGER']) {
    expect(await decide({ [name]: './evil' })).toBe('ask')
    expect(await decide({ [name]: undefined })).toBe('ask')
    expect(await decide({ [name]: 'cat' })).toBe('allow')
  }
})
