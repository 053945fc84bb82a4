import { spawnSync } from 'node:child_process'
import { chownSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { buildPrograms } from '../../../attacks/build.ts'
import { type User, users } from '../../../attacks/table.ts'
import { terminal } from '../../../attacks/targets/terminal.ts'
import { whyNot } from '../../../helpers/other-users.ts'
import { makeDirectory } from '../../../helpers/place.ts'
import { runAs } from '../../../helpers/run-as.ts'

const [current] = users
const mounts = current?.uid === 0 && spawnSync('unshare', ['-m', 'true']).status === 0

/** A session leader without a terminal gets the one that it opens for reading (tty_ioctl(4)), and /dev/tty then means it. */
const program = `
import os, sys
os.open(sys.argv[1], os.O_RDONLY | os.O_NONBLOCK)
os.write(os.open('/dev/tty', os.O_WRONLY), b'written')
`

/** Whether a command writes to a terminal of another process that it reaches by another mount of /dev. */
async function writes(user: User, mode: 'read' | 'workspace' | 'write'): Promise<boolean> {
  const directory = makeDirectory()
  const [cwd, dev] = ['work', 'dev'].map((name) => join(directory, name)) as [string, string]
  for (const path of [cwd, dev]) mkdirSync(path)
  for (const path of [directory, cwd]) chownSync(path, user.uid, user.gid)
  const target = await terminal({ directory, programs: buildPrograms(), inherited: null })
  try {
    const path = target.offers['terminal'] ?? ''
    chownSync(path, user.uid, user.gid)
    const before = await target.observe()
    const as = `setpriv --reuid=${user.uid} --regid=${user.gid} --clear-groups`
    await runAs(current as User, {
      options: { mode, cwd },
      commands: [['python3', '-c', program, path.replace('/dev', dev)]],
      wrapper: ['unshare', '-m', 'sh', '-c', `mount --rbind /dev ${dev} && exec ${as} "$@"`, 'sh'],
    })
    return (await target.observe()) !== before
  } finally {
    await target.dispose()
  }
}

for (const user of users)
  describe.runIf(process.platform === 'linux' && mounts && whyNot(user) === null)(
    `another terminal at another mount of /dev, as ${user.name}`,
    () => {
      it.each(['read', 'workspace'] as const)('is not written to in %s mode', async (mode) => {
        expect([await writes(user, mode), await writes(user, 'write')]).toEqual([false, true])
      })
    },
  )

describe.runIf(process.platform === 'linux')('a command without a terminal', () => {
  it.each(['echo x > /dev/tty', 'cd /dev && echo x > tty', 'cat /dev/tty', 'echo x > /dev/../dev/tty'])(
    'is told that it has none, and nothing is reported: %s',
    async (command) => {
      const [result] = await runAs(current as User, {
        options: { mode: 'read', cwd: '/' },
        commands: [['sh', '-c', command]],
      })
      expect(result?.stderr).toContain('No such device or address')
      expect(result?.denials).toEqual([])
    },
  )
})
