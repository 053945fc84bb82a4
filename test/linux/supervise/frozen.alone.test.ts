import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { mounted } from '../../helpers/mounted.ts'
import { openTestShell } from '../../helpers/place.ts'
import { processEntry, waitFor } from '../../helpers/processes.ts'

const at = mounted('mkfs.ext4 -q image')
const freeze = (how: '-f' | '-u') => at !== null && spawnSync('fsfreeze', [how, at]).status === 0

/** A write there sleeps uninterruptibly (proc_pid_stat(5)), SIGKILL or not. */
describe.skipIf(at === null || !freeze('-f'))('on a frozen file system', () => {
  afterAll(() => void freeze('-u'))

  it('a command that the kernel cannot end yet returns at its deadline, and is said to run', async () => {
    const shell = await openTestShell({ mode: 'write' })
    const file = join(at ?? '', 'file')
    const alone = await shell.execute({ argv: ['touch', file], timeoutMs: 5000 })
    const both = await shell.execute({ command: `touch ${file} & exec touch ${file}`, timeoutMs: 5000 })
    const groups = [alone, both].map(({ background }) => background?.group ?? 0)
    expect(groups.map((group) => processEntry(group)?.state)).toEqual(['D', 'D'])
    expect(alone).toMatchObject({ timedOut: true, survivorsKilled: 0, background: { count: 1 } })
    expect(both).toMatchObject({ timedOut: true, survivorsKilled: 0, background: { count: 2 } })
    freeze('-u')
    expect(await waitFor(() => groups.every((group) => !processEntry(group)?.running))).toBe(true)
    await shell.close()
  })
})
