import { mkdirSync, readdirSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tried } from '../../../src/base/errno.ts'
import { makeDirectory, openTestShell } from '../../helpers/place.ts'
import { waitFor } from '../../helpers/processes.ts'

const parallel = 20

/** This process's descriptors that lead to it, or are seccomp listeners of commands. */
function descriptorsOf(workspace: string): string[] {
  const targetOf = (fd: string) => tried(() => readlinkSync(`/proc/self/fd/${fd}`)) ?? ''
  const targets = readdirSync('/proc/self/fd').map(targetOf)
  return targets.filter((target) => target === workspace || target === 'anon_inode:seccomp notify')
}

describe.skipIf(process.platform !== 'linux')('the threads that make changes', () => {
  it('leave no descriptor to the host, though a process in the background is the last to end', async () => {
    const workspace = join(makeDirectory(), 'tree')
    mkdirSync(workspace)
    const shell = await openTestShell({ cwd: workspace, mode: 'workspace' })
    for (let i = 0; i < parallel; i++)
      expect(await shell.execute({ command: `mkfifo p${i}; (echo > p${i}) & exit 0` })).toMatchObject({
        exitCode: 0,
      })
    // The ruleset that is kept for the next command has one.
    expect(await waitFor(() => descriptorsOf(workspace).length <= 1)).toBe(true)
  })
})
