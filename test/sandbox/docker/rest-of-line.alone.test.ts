import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { Home, program } from '../../cli/vitrine.ts'
import { describeEngine, dockerToml, eventually, openDockerShell, processesWith } from './engine.ts'

let lengths = 800_000 + (process.pid % 1000) * 100
const nextLength = () => String(++lengths)

describeEngine('the rest of a line whose command was ended', (engine) => {
  it('does not run after the deadline', async () => {
    const shell = await openDockerShell(engine(), { mode: 'write' })
    for (let round = 0; round < 20; round++) {
      const result = await shell.execute({ command: 'sleep 30; touch marker', timeoutMs: 600 })
      expect(result).toMatchObject({ timedOut: true, outcome: { kind: 'timed-out' } })
      expect(result.exitCode).not.toBe(0)
    }
    expect(existsSync(join(shell.cwd, 'marker'))).toBe(false)
  })

  it('does not run after a cancel, however many processes stand on the line', async () => {
    const shell = await openDockerShell(engine(), { mode: 'write' })
    await shell.execute({ command: 'true' })
    for (let round = 0; round < 10; round++) {
      const length = nextLength()
      const command = `(sleep ${length}; touch m1) | (sleep ${length}; touch m2); sh -c 'sleep ${length}; touch m3'; touch m4`
      const controller = new AbortController()
      const running = shell.execute({ command }, { signal: controller.signal })
      await eventually(() => processesWith(`sleep\0${length}`).length === 2, 'it runs')
      controller.abort()
      expect(await running).toMatchObject({ cancelled: true })
      expect(processesWith(`sleep\0${length}`)).toEqual([])
    }
    for (const name of ['m1', 'm2', 'm3', 'm4']) expect(existsSync(join(shell.cwd, name))).toBe(false)
  })

  it.each(['read', 'write'] as const)('a handler that exits with 0 is no success: %s mode', async (mode) => {
    const shell = await openDockerShell(engine(), { mode, toml: '[shell]\nkill_grace_ms = 3000\n' })
    await shell.execute({ command: 'true' })
    const command = 'trap "exit 0" TERM; while :; do sleep 0.1; done'
    const result = await shell.execute({ command, timeoutMs: 1000 })
    expect(result).toMatchObject({ timedOut: true, exitCode: null, signal: 'SIGTERM' })
  })

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('%s to the command line ends it with %i and nothing more runs', async (signal, code) => {
    const home = new Home()
    home.configure(dockerToml())
    const length = nextLength()
    const args = ['run', '--backend', 'docker', '--write', '--', `sleep ${length}; touch marker`]
    const child = spawn(process.execPath, [program, ...args], {
      cwd: home.directory,
      env: { ...home.env, DOCKER_HOST: engine().host },
      stdio: 'ignore',
    })
    await eventually(() => processesWith(`sleep\0${length}`).length === 1, 'it runs')
    child.kill(signal)
    expect(await once(child, 'exit')).toEqual([code, null])
    expect(existsSync(join(home.directory, 'marker'))).toBe(false)
  })
})
