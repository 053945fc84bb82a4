import { once } from 'node:events'
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { type Mode, modes } from '../../../src/base/types.ts'
import { lostHint } from '../../../src/run/hint.ts'
import { labelsFor, newName, thisProcess } from '../../../src/sandbox/docker/left-over.ts'
import { Home } from '../../cli/vitrine.ts'
import { makeDirectory } from '../../helpers/place.ts'
import { makeMarker } from '../../helpers/processes.ts'
import {
  containersOf,
  describeEngine,
  dockerToml,
  eventually,
  openDockerShell,
  sleepers,
  startContainer,
  startEngine,
  unavailable,
} from './engine.ts'

describeEngine('how commands and containers end', (engine) => {
  it.each(['read', 'write'] as const)(
    'at its deadline a command ends with all it started: %s mode',
    async (mode) => {
      const shell = await openDockerShell(engine(), { mode })
      await shell.execute({ command: 'true' })
      const marker = makeMarker()
      const command = `trap "" TERM; setsid sh -c 'trap "" TERM; sleep ${marker}' & sleep ${marker} & while :; do sleep 1; done`
      const result = await shell.execute({ command, timeoutMs: 1500 })
      expect(result.outcome).toEqual({ kind: 'timed-out', afterMs: 1500 })
      await eventually(() => sleepers(marker).length === 0, 'everything has ended')
      expect((await shell.execute({ command: 'echo next' })).stdout).toBe('next\n')
    },
  )

  it('in read mode nothing that a command left outlives it', async () => {
    const shell = await openDockerShell(engine())
    const marker = makeMarker()
    const command = `setsid sleep ${marker} >/dev/null 2>&1 & sleep ${marker} >/dev/null 2>&1 & echo left`
    const result = await shell.execute({ command })
    expect(result).toMatchObject({ stdout: 'left\n', exitCode: 0 })
    expect(result.survivorsKilled).toBeGreaterThanOrEqual(2)
    expect(sleepers(marker)).toEqual([])
  })

  it('but it is asked to end first, and given the grace', async () => {
    const shell = await openDockerShell(engine(), { toml: '[shell]\nkill_grace_ms = 5000\n' })
    const marker = makeMarker()
    const command = `sh -c 'trap "exec sleep ${marker}" TERM; while :; do sleep 0.05; done' & sleep 0.5; echo left`
    const running = shell.execute({ command })
    await eventually(() => sleepers(marker).length === 1, 'it was asked')
    expect(await running).toMatchObject({ stdout: 'left\n', exitCode: 0, timedOut: false })
    expect(sleepers(marker)).toEqual([])
  })

  it('in write mode it lives until the shell is closed, and later commands meet it', async () => {
    const shell = await openDockerShell(engine(), { mode: 'write' })
    const marker = makeMarker()
    await shell.execute({ command: `sleep ${marker} >/dev/null 2>&1 & echo $! > pid` })
    expect((await shell.execute({ command: 'kill -0 $(cat pid) && echo there' })).stdout).toBe('there\n')
    await shell.execute({ command: 'while :; do sleep 1; done', timeoutMs: 500 })
    expect(sleepers(marker)).not.toEqual([])
    await shell.close()
    expect(sleepers(marker)).toEqual([])
  })

  it('a deadline that comes before the container does is kept', async () => {
    const shell = await openDockerShell(engine())
    const result = await shell.execute({ command: 'echo x > /tmp/x; sleep 600', timeoutMs: 1 })
    expect(result).toMatchObject({ timedOut: true })
    await shell.close()
    expect(await ownOf(shell.cwd)).toEqual([])
  })

  const ownOf = (workspace: string) => containersOf(engine(), workspace)

  it('close kills what runs and removes the containers', async () => {
    const shell = await openDockerShell(engine())
    const marker = makeMarker()
    const running = shell.execute({ command: `sleep ${marker}` })
    await eventually(() => sleepers(marker).length > 0, 'it runs')
    expect(await ownOf(shell.cwd)).toHaveLength(1)
    await shell.close()
    expect(await running).toMatchObject({ cancelled: true })
    expect(await ownOf(shell.cwd)).toEqual([])
    expect(sleepers(marker)).toEqual([])
  })

  /** Starts the command line in a home whose backend is this engine. */
  const start = (args: readonly string[]) => {
    const home = new Home()
    home.configure(`[shell]\nbackend = "docker"\n${dockerToml()}`)
    const child = home.start(args, { env: { DOCKER_HOST: engine().host }, stdio: 'ignore' })
    return { home, child }
  }

  it.each([[[]], [['--write']]])(
    'a host that is killed leaves neither process nor container: %j',
    async (flags) => {
      const marker = makeMarker()
      const command = `trap "" TERM HUP; setsid sleep ${marker} & sleep ${marker}`
      const { home, child: host } = start(['run', ...flags, '--', command])
      await eventually(() => sleepers(marker).length >= 2, 'it runs')
      host.kill('SIGKILL')
      await eventually(() => sleepers(marker).length === 0, 'its processes have ended')
      await eventually(async () => (await ownOf(home.directory)).length === 0, 'its container is gone')
    },
  )

  it('what a host left all the same the next one removes, and nothing else', async () => {
    const of = (host: object) => ({ ...labelsFor('/left'), 'vitrine.host': JSON.stringify(host) })
    const gone = of({ ...thisProcess(), start: '1' })
    const leave = (mode: Mode) => make(gone, newName(mode))
    const left = await Promise.all(modes.map(leave))
    const living = await make(of(thisProcess()), 'vitrine-read-00000000000b')
    const foreign = await make({ 'another.program': 'x' }, 'vitrine-read-00000000000c')
    const unseen = await make(of({ ...thisProcess(), namespace: 'pid:[1]' }), 'vitrine-read-00000000000d')
    // Of an image made from one of ours: labels are inherited.
    const copied = await make(gone, 'my-database')
    await openDockerShell(engine())
    const idsNow = async () => (await containersOf(engine())).map(({ Id }) => Id)
    await eventually(
      async () => !(await idsNow()).some((id) => left.includes(id)),
      'those of every mode are removed',
    )
    expect(await idsNow()).toEqual(expect.arrayContaining([living, foreign, unseen, copied]))
  })

  /** A container that runs on by itself, until its test has finished. */
  const make = (Labels: Readonly<Record<string, string>>, name: string) =>
    startContainer(engine(), name, { Cmd: ['sleep', '600'], Labels, HostConfig: { NetworkMode: 'none' } })

  it.each(modes)('one whose workspace has been replaced shows the new one: %s mode', async (mode) => {
    const cwd = join(makeDirectory(), 'workspace')
    mkdirSync(cwd)
    const shell = await openDockerShell(engine(), { cwd, mode })
    await shell.execute({ command: 'true' })
    renameSync(cwd, `${cwd}-moved`)
    mkdirSync(cwd)
    writeFileSync(join(cwd, 'new'), '')
    expect((await shell.execute({ command: 'ls' })).stdout).toBe('new\n')
  })

  it.each(modes)('a command whose call has returned does not start: %s mode', async (mode) => {
    const own = await startEngine()
    const shell = await openDockerShell(own, { mode })
    await shell.execute({ command: 'true' })
    process.kill(own.pid, 'SIGSTOP')
    const begun = { command: `mkdir made; sleep ${makeMarker()}`, timeoutMs: 500 }
    expect(await shell.execute(begun)).toMatchObject({ timedOut: true })
    process.kill(own.pid, 'SIGCONT')
    expect((await shell.execute({ command: 'sleep 1; ls' })).stdout).toBe('')
  })

  it('after an engine is killed the call returns and says so, and the next one is refused', async () => {
    const own = await startEngine()
    const directory = makeDirectory()
    writeFileSync(join(directory, 'kept'), '')
    const shell = await openDockerShell(own, { cwd: directory })
    const marker = makeMarker()
    const running = shell.execute({ command: `echo begun; sleep ${marker}`, timeoutMs: 60_000 })
    await eventually(() => sleepers(marker).length > 0, 'it runs')
    await own.stop('SIGKILL')
    const result = await running
    expect(result).toMatchObject({ stdout: 'begun\n', exitCode: null, signal: 'SIGKILL' })
    const [before = '', after = ''] = lostHint('|', 'user').split('|')
    expect(result.hint?.startsWith(before) && result.hint.endsWith(after)).toBe(true)
    expect(result.failure).toMatchObject({ kind: 'signal', retryable: true })
    await expect(shell.execute({ command: 'true' })).rejects.toMatchObject(
      unavailable(`${own.socketPath}: ECONNREFUSED`),
    )
    for (const pid of sleepers(marker)) process.kill(pid, 'SIGKILL')
  })

  // many.alone.test.ts has what a deadline leaves of a line.
  it('the rest of its line does not run after a cancel, however many processes stand on it', async () => {
    const shell = await openDockerShell(engine(), { mode: 'write' })
    await shell.execute({ command: 'true' })
    for (let round = 0; round < 10; round++) {
      const marker = makeMarker()
      const command = `(sleep ${marker}; touch m1) | (sleep ${marker}; touch m2); sh -c 'sleep ${marker}; touch m3'; touch m4`
      const controller = new AbortController()
      const running = shell.execute({ command }, { signal: controller.signal })
      await eventually(() => sleepers(marker).length === 2, 'it runs')
      controller.abort()
      expect(await running).toMatchObject({ cancelled: true })
      expect(sleepers(marker)).toEqual([])
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
    const marker = makeMarker()
    const { home, child } = start(['run', '--write', '--', `sleep ${marker}; touch marker`])
    await eventually(() => sleepers(marker).length === 1, 'it runs')
    child.kill(signal)
    expect(await once(child, 'exit')).toEqual([code, null])
    expect(existsSync(join(home.directory, 'marker'))).toBe(false)
  })
})
