import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { openTestShell } from '../helpers/place.ts'

const status = `python3 -c 'import fcntl; print(fcntl.fcntl(0, fcntl.F_GETFL))'`
const change = `python3 -c 'import fcntl, os; fcntl.fcntl(0, fcntl.F_SETFL, os.O_NONBLOCK | os.O_APPEND)'`

describe.runIf(process.platform === 'linux').for(['read', 'write'] as const)(
  'the empty standard input, in %s mode',
  (mode) => {
    it('has no flags of an earlier command', async () => {
      const shell = await openTestShell({ mode })
      const before = await shell.execute({ command: status })
      expect(await shell.execute({ command: change })).toMatchObject({ exitCode: 0 })
      expect((await shell.execute({ command: status })).stdout).toBe(before.stdout)
    })

    it('keeps no lock when the command has ended', async () => {
      const shell = await openTestShell({ mode })
      expect(await shell.execute({ command: 'flock -s 0' })).toMatchObject({ exitCode: 0 })
      expect(spawnSync('flock', ['-xn', '/dev/null', 'true']).status).toBe(0)
    })
  },
)
