import { execFileSync, spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { openTestShell } from '../helpers/place.ts'
import { builtLibrary } from '../helpers/programs.ts'
import { cannotUnshare } from '../helpers/surroundings.ts'

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

/** A file stands for the new /dev/null. */
const replacing = `
  import { spawnSync } from 'node:child_process'
  const { openShell } = await import('${builtLibrary}')
  const shell = await openShell({ cwd: '/', mode: 'read' })
  await shell.execute({ command: 'true' })
  spawnSync('mount', ['--bind', process.execPath, '/dev/null'])
  const { exitCode } = await shell.execute({ command: 'test -s /dev/stdin' })
  console.log(exitCode)
  await shell.close()`

describe.runIf(process.platform === 'linux')('a /dev/null that is replaced between two commands', () => {
  const namespaces = ['--user', '--map-root-user', '--mount']
  const reason = cannotUnshare(...namespaces)

  it.skipIf(reason)('becomes the next standard input', () => {
    const argv = [...namespaces, process.execPath, '--input-type=module', '-e', replacing]
    expect(execFileSync('unshare', argv, { encoding: 'utf8' }).trim()).toBe('0')
  })
})
