import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tried } from '../../../src/base/errno.ts'
import { makeDirectory, openTestShell } from '../../helpers/place.ts'
import { waitFor } from '../../helpers/processes.ts'

/** native/linux/notify/workspace_server.c: MOST_SPARES. */
const mostSpares = 8
const parallel = 20

/** This process's threads that make changes for workspace commands, running or spare. */
function servers(): string[] {
  const nameOf = (id: string) => tried(() => readFileSync(`/proc/self/task/${id}/comm`, 'utf8').trim())
  return readdirSync('/proc/self/task').filter((id) => nameOf(id) === 'vitrine-work')
}

/** This process's descriptors that lead to it, or are seccomp listeners of commands. */
function descriptorsOf(workspace: string): string[] {
  const targetOf = (fd: string) => tried(() => readlinkSync(`/proc/self/fd/${fd}`)) ?? ''
  const targets = readdirSync('/proc/self/fd').map(targetOf)
  return targets.filter((target) => target === workspace || target === 'anon_inode:seccomp notify')
}

describe.skipIf(process.platform !== 'linux')('the threads that make changes', () => {
  it('serve the next command if they changed nothing, and end if they did', async () => {
    const workspace = join(makeDirectory(), 'tree')
    mkdirSync(workspace)
    execFileSync('git', ['init', '-q', workspace])
    const shell = await openTestShell({ cwd: workspace, mode: 'workspace' })
    const seen = new Set<string>()
    for (let i = 0; i < parallel; i++) {
      expect(await shell.execute({ command: ':' })).toMatchObject({ exitCode: 0 })
      for (const id of servers()) seen.add(id)
    }
    // Not always the same one: it may still be held when the next command starts.
    expect(servers().length).toBeGreaterThan(0)
    expect(seen.size).toBeLessThanOrEqual(mostSpares)

    const names = Array.from({ length: parallel }, (_, at) => `made-${at}`)
    const made = await Promise.all(names.map((name) => shell.execute({ command: `mkdir ${name}` })))
    expect(made.map(({ exitCode, denials }) => [exitCode, denials])).toEqual(names.map(() => [0, []]))
    expect(readdirSync(workspace)).toEqual(expect.arrayContaining(names))

    await Promise.all(names.map(() => shell.execute({ command: 'sleep 0.2' })))
    expect(await waitFor(() => servers().length <= mostSpares)).toBe(true)
    expect(await shell.execute({ command: 'rmdir made-*' })).toMatchObject({ exitCode: 0, denials: [] })
  })

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
