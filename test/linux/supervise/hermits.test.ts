import { chmodSync, chownSync, copyFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { users } from '../../attacks/table.ts'
import { ownMarker } from '../../helpers/markers.ts'
import { makeDirectory } from '../../helpers/place.ts'
import { aliveWith, processEntry, survivors, waitFor } from '../../helpers/processes.ts'
import { compileFixture } from '../../helpers/programs.ts'
import { runAs } from '../../helpers/run-as.ts'
import { ownWorldMissing } from '../../helpers/surroundings.ts'
import { commandsOf, startHost } from '../watcher/hosts.ts'

const missing = process.platform === 'linux' ? ownWorldMissing() : 'needs Linux'

/** Held modes in which a command's processes lead sessions of their own, and one in which they only seem to. */
const modes = [
  {
    name: 'workspace mode',
    mode: 'workspace',
    how: 'workspace',
    privateTmp: false,
    says: 'started real kept\n',
  },
  {
    name: 'read mode with a TMPDIR',
    mode: 'read',
    how: 'read-tmp',
    privateTmp: true,
    says: 'started real kept\n',
  },
  { name: 'read mode', mode: 'read', how: 'read', privateTmp: false, says: 'started pretended kept\n' },
] as const

let hermit: string

/** Where every user may look. */
function makeOpen(): string {
  const directory = makeDirectory()
  chmodSync(directory, 0o777)
  return directory
}

describe.skipIf(missing !== null)('a process that hides in every way ends with its command', () => {
  beforeAll(() => {
    hermit = compileFixture('hermit')
    chmodSync(dirname(hermit), 0o755)
  })

  describe.for(users)('of $name', (user) => {
    it.for(modes)('in $name, when it ends and at its deadline', async ({ mode, privateTmp, says }) => {
      const marker = ownMarker()
      const options = { mode, privateTmp, cwd: makeOpen() }
      const ended = await runAs(user, { options, commands: [[hermit, 'exit', marker]] })
      expect(ended).toMatchObject([{ stdout: says, exitCode: 0, survivorsKilled: 1 }])
      expect(await survivors(marker)).toEqual([])
      const late = await runAs(user, { options, commands: [[hermit, 'stay', marker]], timeoutMs: 3000 })
      expect(late).toMatchObject([{ stdout: says, timedOut: true }])
      expect(await survivors(marker)).toEqual([])
    })

    it.for(modes)('in $name, when its host is killed', async ({ how, says }) => {
      const marker = ownMarker()
      const host = startHost('wait', how, [`${hermit} stay ${marker}`], { uid: user.uid })
      await host.ready
      expect(await waitFor(() => commandsOf(host, marker).length >= 2)).toBe(true)
      const sessions = new Set(commandsOf(host, marker).map((pid) => processEntry(pid)?.session))
      expect(sessions.size).toBe(says.includes('real') ? 2 : 1)
      await host.kill()
      expect(await survivors(marker)).toEqual([])
    })

    it('though it is a program with the set-user-ID bit', async ({ skip }) => {
      if (process.getuid?.() !== 0) return skip('only root can make one')
      const marker = ownMarker()
      const program = `${hermit}-of-root`
      copyFileSync(hermit, program)
      chownSync(program, 0, 0)
      chmodSync(program, 0o4755)
      const options = { mode: 'workspace', cwd: makeOpen() } as const
      const ended = await runAs(user, { options, commands: [[program, 'exit', marker]] })
      expect(ended).toMatchObject([{ stdout: 'started real kept\n', survivorsKilled: 1 }])
      expect(await survivors(marker)).toEqual([])
    })
  })

  it('and lives on in write mode without a mark', async () => {
    const marker = ownMarker()
    const [user] = users
    if (!user) throw new Error('there is no user to run as')
    const options = { mode: 'write', cwd: makeOpen() } as const
    const [result] = await runAs(user, { options, commands: [[hermit, 'exit', marker]] })
    expect(result).toMatchObject({ stdout: expect.stringMatching(/^started real/), exitCode: 0 })
    expect(aliveWith(marker)).toHaveLength(1)
  })
})
