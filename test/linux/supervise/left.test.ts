import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { afterLines } from '../../../src/cli/run/result.ts'
import { makeDirectory, openTestShell } from '../../helpers/place.ts'

/** Starts a process in a session of its own, and waits until it is there. */
function leaving(name: string, run = 'sleep 60'): string {
  return `setsid sh -c 'echo $$ > ${name}; exec ${run}' > /dev/null 2>&1 & until [ -s ${name} ]; do sleep 0.01; done`
}

async function run(command: string, mode: 'read' | 'write' = 'write') {
  const cwd = makeDirectory()
  const shell = await openTestShell({ cwd, mode })
  const result = await shell.execute({ command })
  const pids = (result.background?.left ?? []).map(({ pid }) => pid)
  for (const pid of pids) process.kill(pid, 'SIGKILL')
  const idOf = (name: string) => Number(execFileSync('cat', [join(cwd, name)], { encoding: 'utf8' }))
  return { result, pids, idOf }
}

describe('a process that a command of write mode left in a session of its own', () => {
  it('is named by id and program, and the lines of the command line say how to end it', async () => {
    const { result, pids, idOf } = await run(leaving('a'))
    expect(result.background).toEqual({
      count: 0,
      group: expect.any(Number),
      left: [{ pid: idOf('a'), program: 'sleep' }],
    })
    expect(afterLines(result).join()).toContain(`kill ${pids[0]}`)
  })

  it('is named beside those of its group, several in order, and counted with no group', async () => {
    const line = `${leaving('a')}; ${leaving('b', 'tail -f /dev/null')}; sleep 60 > /dev/null 2>&1 &`
    const { result, pids, idOf } = await run(line)
    expect(pids).toEqual([idOf('a'), idOf('b')])
    expect(result.background?.left?.map(({ program }) => program)).toEqual(['sleep', 'tail'])
    expect(result.background?.count).toBe(1)
    process.kill(-(result.background?.group ?? Number.NaN), 'SIGKILL')
  })

  it('is not, where there is none, and in read mode it is ended', async () => {
    expect((await run('true')).result).not.toHaveProperty('background')
    expect((await run('setsid true')).result).not.toHaveProperty('background')
    const { result } = await run('setsid sleep 60 > /dev/null 2>&1 & sleep 0.1', 'read')
    expect(result).not.toHaveProperty('background')
    expect(result.survivorsKilled).toBe(1)
  })
})
