import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openTestShell } from '../../helpers/place.ts'
import { probing } from '../../sandbox/hosts.ts'

/** A process of this test, and a shell on a kernel whose Landlock does not scope signals. */
async function open() {
  const other = spawn('sleep', ['300'], { detached: true, stdio: 'ignore' })
  const ended = once(other, 'exit')
  onTestFinished(async () => {
    other.kill('SIGKILL')
    await ended
  })
  const shell = await openTestShell({ host: probing({ landlockAbi: 5 }), mode: 'read' })
  return { pid: other.pid ?? 0, other, shell }
}

describe.runIf(process.platform === 'linux')('without the scope of Landlock', () => {
  it('a test whether a process of others exists is refused, and no denial', async () => {
    const { pid, shell } = await open()
    const { denials, exitCode } = await shell.execute({ command: `kill -0 ${pid}` })
    expect({ denials, exitCode }).toEqual({ denials: [], exitCode: 1 })
  })

  it.for(['pid', 'group'] as const)('a signal to a %s of others is refused, and a denial', async (what) => {
    const { pid, other, shell } = await open()
    const target = what === 'group' ? `-- -${pid}` : `${pid}`
    const { denials, exitCode } = await shell.execute({ command: `/bin/kill -TERM ${target}` })
    expect(exitCode).not.toBe(0)
    expect(denials).toMatchObject([{ operation: 'signal', address: expect.stringContaining(String(pid)) }])
    expect([other.exitCode, other.signalCode]).toEqual([null, null])
  })

  it('a process of its own gets its signals', async () => {
    const { shell } = await open()
    const command = `sleep 300 & kill -0 $! && kill $!; wait $!; echo $?`
    expect(await shell.execute({ command })).toMatchObject({ stdout: '143\n', denials: [] })
  })
})
