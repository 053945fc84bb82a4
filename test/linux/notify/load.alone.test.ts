import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmdirSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Result } from '../../../src/base/types.ts'
import { builtLibrary, compileFixture } from '../../helpers/programs.ts'
import { compileAttempts, makeGround, shorts } from './denied.ts'

let attempts: string
beforeAll(() => {
  attempts = compileAttempts()
})

const shellLoop = (count: number, body: string) =>
  `i=0; while [ $i -lt ${count} ]; do ${body}; i=$((i+1)); done`

it('10,000 refused writes of eight threads are 10,000', async () => {
  const { cwd, file, run } = await makeGround()
  const result = await run(`${attempts} flood ${file} 10000`)
  expect(result.stdout).toBe('flood 10000 \n')
  expect(shorts(result)).toEqual([`write ${cwd}/file x10000`])
})

it('past 64 different ones the rest is counted together', async () => {
  const { cwd, run } = await makeGround()
  const result = await run(shellLoop(100, 'echo x 2>/dev/null > new$i'))
  expect(result.denials).toHaveLength(65)
  expect(shorts(result).slice(0, 64)).toEqual(Array.from({ length: 64 }, (_, at) => `create ${cwd}/new${at}`))
  expect(result.denials[64]).toEqual({
    operation: 'other',
    syscall: 'various',
    pid: 0,
    program: 'various',
    count: 36,
  })
})

it('a command that is killed while it is refused has what was counted', async () => {
  const { cwd, shell } = await makeGround()
  const result = await shell.execute({
    command: 'while :; do echo x 2>/dev/null > file; done',
    timeoutMs: 300,
  })
  expect(result.timedOut).toBe(true)
  // Of one that is killed at the wrong moment the name is not to be had: it stands in a row of its own.
  const targets = new Set(result.denials.map(({ operation, path }) => `${operation} ${path}`))
  expect(targets).toEqual(new Set([`write ${cwd}/file`]))
  expect(result.denials[0]?.count).toBeGreaterThan(10)
})

const opens = 150_000
const line = `while [ \${i:=0} -lt ${opens} ]; do true > /dev/null || echo refused; i=$((i+1)); done; echo "$i"`

const script = `
import { openShell } from ${JSON.stringify(builtLibrary)}
const shell = await openShell({ mode: 'read' })
await shell.execute({ command: 'true' })
console.log('ready')
const result = await shell.execute({ command: ${JSON.stringify(line)}, timeoutMs: 170_000 })
console.log(JSON.stringify(result))
await shell.close()`

/** Takes the processor from the host for longer than a lookup may wait, again and again, until it has ended. */
async function holdUp(host: ChildProcess): Promise<number> {
  let stops = 0
  for (; stops < 60 && host.exitCode === null && host.signalCode === null; stops++) {
    await wait(7 + (stops % 9))
    host.kill('SIGSTOP')
    await wait(35)
    host.kill('SIGCONT')
  }
  return stops
}

it.skipIf(process.platform !== 'linux')(
  'a host that does not get the processor refuses nothing for it',
  async () => {
    const host = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { PATH: process.env['PATH'], HOME: '/dev/null/home', XDG_CONFIG_HOME: '/dev/null/home' },
    })
    let text = ''
    host.stdout.on('data', (chunk) => {
      text += String(chunk)
    })
    const ended = once(host.stdout, 'end')
    while (!text.includes('ready\n')) await once(host.stdout, 'data')
    expect(await holdUp(host)).toBeGreaterThan(10)
    await ended
    const { stdout, denials } = JSON.parse(text.replace('ready\n', '')) as Result
    expect(stdout).toBe(`${opens}\n`)
    expect(denials).toEqual([])
  },
)

/** More than can finish: it is ended once the others are done. */
const endless = 50_000_000

it('a flood of notifications of eight threads starves no other command (at most one processor)', async () => {
  const flooding = await makeGround()
  const other = await makeGround()
  const stop = new AbortController()
  const command = `echo started; exec ${compileAttempts()} flood ${flooding.file} ${endless}`
  let flood: Promise<Result> | undefined
  await new Promise<void>((started) => {
    flood = flooding.shell.execute(
      { command, timeoutMs: 120_000 },
      { signal: stop.signal, onOutput: () => started() },
    )
  })
  const [before, began] = [process.cpuUsage(), process.hrtime.bigint()]
  for (let turn = 0; turn < 5; turn++) {
    const result = await other.run('for i in 1 2 3 4 5 6 7 8 9 10; do echo x > file; done')
    expect(shorts(result)).toEqual([`write ${other.file} x10`])
  }
  const { user, system } = process.cpuUsage(before)
  const passedUs = Number(process.hrtime.bigint() - began) / 1000
  stop.abort()
  const result = await flood
  expect(result?.outcome.kind).toBe('cancelled')
  expect(result?.denials[0]?.count).toBeGreaterThan(100)
  // One notifier answers at a time; beside it there are the launcher and this thread.
  expect((user + system) / passedUs).toBeLessThan(1.6)
  expect([flooding, other].map(({ file }) => readFileSync(file, 'utf8'))).toEqual(['kept', 'kept'])
})

function missing(): string | null {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'only root can mount a file system'
  return existsSync('/dev/fuse') ? null : '/dev/fuse is not here'
}

describe.skipIf(missing() !== null)('a file system that does not answer', () => {
  let mounted: string
  let server: ChildProcess
  let looking: Promise<string>

  beforeAll(async () => {
    // The policy reads a line that names vitrine, and waits for the paths on it itself: this one it must not read.
    mounted = mkdtempSync(join(tmpdir(), 'hanging-'))
    const program = compileFixture('fuse')
    chmodSync(program, 0o755)
    server = spawn(program, [mounted], { stdio: ['pipe', 'pipe', 'inherit'] })
    if (!server.stdout) throw new Error('no output')
    const [said] = await once(server.stdout, 'data')
    expect(String(said)).toBe('ready\n')
    looking = stat(join(mounted, 'hang')).then(
      () => 'there',
      (error: NodeJS.ErrnoException) => error.code ?? '',
    )
  })

  // What still waits for it, in this process too, fails then.
  afterAll(async () => {
    server.stdin?.end()
    if (server.exitCode === null) await once(server, 'exit')
    expect(await looking).toMatch(/ENOTCONN|ECONNABORTED/)
    rmdirSync(mounted)
  })

  it('12 writes that wait for it end with their commands, and others are served meanwhile', async () => {
    const stop = new AbortController()
    const grounds = await Promise.all(Array.from({ length: 12 }, () => makeGround()))
    const waiting = grounds.map(({ shell }, at) =>
      shell.execute({ command: `echo x > ${join(mounted, `hang-${at}`)}` }, { signal: stop.signal }),
    )
    const { run, file } = await makeGround()
    const result = await run('echo x > file; echo x > file; echo x > /dev/null && echo open')
    expect([result.stdout, shorts(result)]).toEqual(['open\n', [`write ${file} x2`]])
    expect(await Promise.race([looking, ...waiting, Promise.resolve('waits')])).toBe('waits')
    stop.abort()
    const ends = await Promise.all(waiting)
    expect(ends.map(({ outcome }) => outcome.kind)).toEqual(grounds.map(() => 'cancelled'))
  })
})
