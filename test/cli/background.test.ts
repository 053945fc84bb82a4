import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, readdirSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ownMarker } from '../helpers/markers.ts'
import { aliveWith, survivors, waitFor } from '../helpers/processes.ts'
import { isInstalled } from '../helpers/programs.ts'
import { Tmux } from '../helpers/tmux.ts'
import { Home, misused, program } from './vitrine.ts'

/** Commands that end with this test's process, if nothing else ends them. */
function background(home = new Home()) {
  const owner = ['--owner', String(process.pid)]
  const start = (...args: string[]) => home.run(['run', '--background', ...owner, ...args])
  const jobs = async () => JSON.parse((await home.run(['ps', '--json'])).stdout).commands as Job[]
  const job = async (id: string) => (await jobs()).find((each) => each.id === id)
  const reaches = async (id: string, holds: (job: Job) => boolean) => {
    for (;;) {
      const found = await job(id)
      if (found && holds(found)) return found
    }
  }
  return { home, start, jobs, job, reaches, vitrine: (...args: string[]) => home.run(args) }
}

interface Job {
  readonly id: string
  readonly state: string
  readonly pid: number
  readonly mode: string
  readonly listening: readonly { readonly port: number }[]
}

describe.runIf(process.platform === 'linux')('vitrine run --background', () => {
  it('prints an id once the command runs; ps, logs and stop take it', async () => {
    const marker = ownMarker()
    const { start, jobs, vitrine } = background()
    const line = `echo out; echo err >&2; sleep ${marker}`
    expect(await start('--', line)).toMatchObject({ code: 0, stdout: 'bg1\n', stderr: '' })
    expect(await jobs()).toMatchObject([
      { id: 'bg1', state: 'running', mode: 'read', command: line, listening: [] },
    ])
    expect(await waitFor(() => aliveWith(marker).length > 0)).toBe(true)
    expect((await vitrine('ps')).stdout).toMatch(/^bg1 {2}\d+s {2}read {2}running {2}- {2}echo out/)
    const following = vitrine('logs', '--follow', 'bg1')
    expect(await vitrine('stop', 'bg1')).toMatchObject({ code: 0, stdout: '', stderr: '' })
    expect(await survivors(marker)).toEqual([])
    expect((await following).stdout).toBe('out\nerr\n')
    expect(await jobs()).toMatchObject([{ id: 'bg1', state: 'stopped' }])
    expect(await vitrine('logs', 'bg1')).toMatchObject({ code: 0, stdout: 'out\nerr\n' })
    expect((await vitrine('stop', 'bg1')).code).toBe(0)
    expect(await vitrine('ps')).toMatchObject({ code: 0, stdout: 'no commands in the background\n' })
  })

  it.runIf(isInstalled('python3'))('tells where a server listens', async () => {
    const { home, start, reaches, vitrine } = background()
    const where = ['--mode', 'workspace', '--workspace', 'in']
    await home.shell('mkdir in')
    await start(...where, '--', 'python3', '-m', 'http.server', '0', '--bind', '127.0.0.1')
    const { listening } = await reaches('bg1', (job) => job.listening.length > 0)
    expect((await vitrine('ps')).stdout).toContain(`  127.0.0.1:${listening[0]?.port}  python3`)
    expect((await vitrine('stop', 'bg1')).code).toBe(0)
  })

  it.each([
    ['exits', [], 'exit 3', 'exit 3'],
    ['reaches its --timeout', ['--timeout', '300ms'], 'sleep 60', 'timed-out'],
  ])('says how a command ended that %s', async (_, options, line, state) => {
    const { start, reaches } = background()
    await start(...options, '--', line)
    expect((await reaches('bg1', (job) => job.state !== 'running')).state).toBe(state)
  })

  it.each([
    ['not found', ['--', '/not/there', 'x'], 127, 'not found'],
    ['denied', ['--write', '--', 'rm -rf /'], 125, 'Denied by policy'],
    ['a list', ['--each', '--', 'a', 'b'], 125, '--each'],
    ['as JSON', ['--json', '--', 'a'], 125, '--json'],
    ['an owner that is none', ['--owner', '999999999', '--', 'a'], 125, '999999999 is none'],
  ])('refuses as run does, and leaves nothing: %s', async (_, args, code, said) => {
    const { start, vitrine } = background()
    const ran = await start(...args)
    expect(ran.code).toBe(code)
    expect(`${ran.stderr}${ran.stdout}`).toContain(said)
    expect((await vitrine('ps')).stdout).toBe('no commands in the background\n')
  })

  it('ends the command when its owner ends', async () => {
    const marker = ownMarker()
    const { home, reaches } = background()
    const owner = spawn('sleep', [ownMarker()])
    await home.run(['run', '--background', '--owner', String(owner.pid), '--', `sleep ${marker}`])
    expect(await waitFor(() => aliveWith(marker).length > 0)).toBe(true)
    owner.kill('SIGKILL')
    expect(await survivors(marker)).toEqual([])
    expect((await reaches('bg1', (job) => job.state !== 'running')).state).toBe('stopped')
  })

  it('has the leader of its session as owner, and where that is itself its parent', async () => {
    const marker = ownMarker()
    const { home } = background()
    const line = `"$NODE_PROGRAM" "$CLI_PROGRAM" run --background -- sleep ${marker}; read wait`
    const leader = spawn('sh', ['-c', line], {
      detached: true,
      env: home.env,
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    expect(String((await once(leader.stdout, 'data'))[0])).toBe('bg1\n')
    expect(await waitFor(() => aliveWith(marker).length > 0)).toBe(true)
    leader.stdin.end()
    expect(await survivors(marker)).toEqual([])
    const args = [program, 'run', '--background', '--', 'sleep', marker]
    const own = spawn(process.execPath, args, {
      detached: true,
      env: home.env,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    expect(String((await once(own.stdout, 'data'))[0])).toMatch(/^bg\d\n$/)
    const [job] = JSON.parse((await home.run(['ps', '--json'])).stdout).commands.slice(-1)
    expect(job).toMatchObject({ state: 'running', owner: process.pid })
    expect((await home.run(['stop', job.id])).code).toBe(0)
  })

  it('nothing survives its killed host, and no other process is taken for it', async () => {
    const marker = ownMarker()
    const { start, job, vitrine } = background()
    await start('--write', '--', `(setsid sleep ${marker} &); echo up; sleep ${marker}`)
    expect(await waitFor(() => aliveWith(marker).length > 1)).toBe(true)
    process.kill((await job('bg1'))?.pid ?? 0, 'SIGKILL')
    expect(await survivors(marker)).toEqual([])
    expect((await job('bg1'))?.state).toBe('lost')
    expect(await vitrine('stop', 'bg1')).toMatchObject(misused('was killed, and its command with it'))
    expect(await vitrine('logs', 'bg1')).toMatchObject({ code: 125, stdout: 'up\n' })
  })

  it('signals no process that has got the number of its host later', async () => {
    const marker = ownMarker()
    const { home, start, job, vitrine } = background()
    await start('--', `sleep ${marker}`)
    process.kill((await job('bg1'))?.pid ?? 0, 'SIGKILL')
    expect(await survivors(marker)).toEqual([])
    const other = spawn('sleep', [ownMarker()])
    onTestFinished(() => void other.kill())
    const file = join(home.directory, '.state/vitrine/background/bg1/state.json')
    await home.shell(`sed -i 's/"pid":[0-9]*/"pid":${other.pid}/' "${file}"`)
    expect((await vitrine('stop', 'bg1')).code).toBe(125)
    expect(other.exitCode ?? other.signalCode).toBe(null)
    expect(aliveWith(other.spawnargs[1] ?? '')).toEqual([other.pid])
  })

  it('keeps its state for this user alone, and follows no links there', async () => {
    const marker = ownMarker()
    const { home, start, vitrine } = background()
    await start('--', `sleep ${marker}`)
    const root = join(home.directory, '.state/vitrine/background')
    const modes = [
      root,
      join(root, 'bg1'),
      ...readdirSync(join(root, 'bg1')).map((name) => join(root, 'bg1', name)),
    ]
    expect(modes.map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o700, 0o600, 0o600])
    symlinkSync(join(root, 'bg1'), join(root, 'bg2'))
    expect(await vitrine('logs', 'bg2')).toMatchObject(misused('no background command "bg2"'))
    expect(await vitrine('logs', '../bg1')).toMatchObject(misused('no background command'))
    expect((await vitrine('stop', 'bg1')).code).toBe(0)
    chmodSync(root, 0o777)
    expect(await vitrine('ps')).toMatchObject(misused('only you can write to'))
  })

  it.runIf(isInstalled('tmux')).each([
    ['y', 0, 1],
    ['n', 125, 0],
  ])('--ask asks at the terminal of the call, and %s answers', async (key, code, running) => {
    const marker = ownMarker()
    const { home } = background()
    const tmux = new Tmux(home.env, home.directory)
    const vitrine = '"$NODE_PROGRAM" "$CLI_PROGRAM" run --background --write --ask'
    tmux.line(`${vitrine} -- 'touch made; exec sleep ${marker}'; echo "code $?."`)
    expect(await waitFor(() => tmux.screen().includes('[y]es'))).toBe(true)
    tmux.type(key)
    expect(await waitFor(() => tmux.screen().includes(`code ${code}.`))).toBe(true)
    expect(await waitFor(() => aliveWith(marker).length === running)).toBe(true)
    // The shell of the terminal is the owner.
    tmux.line('exit')
    expect(await survivors(marker)).toEqual([])
  })
})
