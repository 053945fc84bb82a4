import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { afterEach, describe, expect, it } from 'vitest'
import { makeDirectory } from '../../helpers/place.ts'
import { builtLibrary, repository } from '../../helpers/programs.ts'
import { makeGround, uid } from './ground.ts'

const hosts: ChildProcess[] = []

afterEach(async () => {
  for (const host of hosts.splice(0)) {
    if (host.exitCode !== null || host.signalCode !== null) continue
    host.kill('SIGKILL')
    await once(host, 'exit')
  }
})

/** A host of its own that runs the line, once it has said "started". */
async function startHost(temporary: string, line: string): Promise<ChildProcess> {
  const script = join(repository, 'test/fixtures/host/host.mjs')
  const host = spawn(process.execPath, [script, makeDirectory(), 'wait', 'read', line], {
    env: { ...process.env, TMPDIR: temporary, VITRINE_SHELL_PRIVATE_TMP: 'true' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  hosts.push(host)
  await once(host.stdout as NodeJS.ReadableStream, 'data')
  return host
}

async function kill(host: ChildProcess): Promise<void> {
  host.kill('SIGKILL')
  await once(host, 'exit')
}

/** Fills its directory, and stays. */
const staying = 'mkdir -p "$TMPDIR/a/b"; echo x > "$TMPDIR/a/b/c"; echo started; sleep 600'

describe('when a host is killed', () => {
  it('the next run removes what it left, and leaves alone what a live one has', async () => {
    const temporary = makeDirectory()
    const parent = join(temporary, `vitrine-${uid}`)
    const killed = await startHost(temporary, staying)
    const left = readdirSync(parent)
    const live = await startHost(temporary, staying)
    const lives = readdirSync(parent).filter((name) => !left.includes(name))
    expect([left.length, lives.length]).toEqual([1, 1])
    await kill(killed)
    expect(existsSync(join(parent, left[0] ?? '', 'tmp/a/b/c'))).toBe(true)
    const { run } = await makeGround({}, temporary)
    expect((await run('ls "$TMPDIR"')).exitCode).toBe(0)
    expect(readdirSync(parent)).toEqual(lives)
    expect(existsSync(join(parent, lives[0] ?? '', 'tmp/a/b/c'))).toBe(true)
    await kill(live)
  })

  it('a command that still writes while it is swept does not bring it back', async () => {
    const temporary = makeDirectory()
    const line =
      'cd "$TMPDIR"; i=0; echo started; while :; do i=$((i+1)); mkdir -p "d$i/e" && : > "d$i/e/f"; done'
    for (let times = 0; times < 3; times++) {
      await kill(await startHost(temporary, line))
      const { run, left } = await makeGround({}, temporary)
      expect((await run('true')).exitCode).toBe(0)
      expect(left()).toEqual([])
    }
  })

  it('what is not ours to name stays', async () => {
    const temporary = makeDirectory()
    const parent = join(temporary, `vitrine-${uid}`)
    for (const path of ['', 'notes', 'f'.repeat(32)]) mkdirSync(join(parent, path), { mode: 0o700 })
    const { run, left } = await makeGround({}, temporary)
    await run('true')
    expect(left()).toEqual(['notes'])
  })
})

describe('when a worker thread ends', () => {
  it('its directory is let go of, and the next run removes it', async () => {
    const temporary = makeDirectory()
    const text = `
      const { parentPort, workerData } = require('node:worker_threads')
      import(workerData.library).then(async ({ openShell }) => {
        const shell = await openShell({ mode: 'read', privateTmp: true, cwd: workerData.temporary, env: { ...process.env, TMPDIR: workerData.temporary } })
        shell.execute({ command: 'echo started; sleep 600' }, { onOutput: () => parentPort.postMessage('started') })
      })`
    const worker = new Worker(text, { eval: true, workerData: { library: builtLibrary, temporary } })
    await once(worker, 'message')
    await worker.terminate()
    const { run, left } = await makeGround({}, temporary)
    expect((await run('true')).exitCode).toBe(0)
    expect(left()).toEqual([])
  })
})
