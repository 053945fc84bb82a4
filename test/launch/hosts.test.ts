import { execFile, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough, type Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { describe, expect, it, vi } from 'vitest'
import { users } from '../attacks/table.ts'
import { ownMarker } from '../helpers/markers.ts'
import { makeDirectory } from '../helpers/place.ts'
import { aliveWith, survivors, waitFor } from '../helpers/processes.ts'
import { builtLibrary, compileFixture, repository } from '../helpers/programs.ts'
import { runAs } from '../helpers/run-as.ts'

describe('two copies of the library in one process, as Jest makes them', () => {
  it('a command of the first copy ends although the second one has started commands since', async () => {
    const first = await (await import('../../src/shell.ts')).openShell({ mode: 'read' })
    const slow = first.execute({
      command: 'read line; echo "$line"; head -c 3000000 /dev/zero',
      stdin: later(),
    })
    vi.resetModules()
    const second = await (await import('../../src/shell.ts')).openShell({ mode: 'read' })
    expect((await second.execute({ command: 'echo second' })).stdout).toBe('second\n')
    release?.()
    expect(await slow).toMatchObject({ exitCode: 0, bytes: 3_000_006 })
    await Promise.all([first.close(), second.close()])
  })
})

let release: (() => void) | undefined

/** A stream that ends its line when it is told to. */
function later(): Readable {
  const stream = new PassThrough()
  release = () => stream.end('first\n')
  return stream
}

it.skipIf(process.getuid?.() !== 0)(
  'a host that becomes another user runs commands as that user (needs root)',
  () => {
    const program = join(repository, 'test/fixtures/host/other-user.mjs')
    const cwd = makeDirectory()
    chmodSync(cwd, 0o755)
    const printed = execFileSync(process.execPath, [program, builtLibrary, '23456'], {
      cwd,
      encoding: 'utf8',
    })
    const [root, other] = ['0\n', '23456\n']
    expect(JSON.parse(printed)).toEqual({ before: [root, root, root], after: [other, other, other] })
  },
)

const [user] = users

/** What the command of a host says that was started with a raised priority. */
async function saidBy(wrapper: readonly string[], mode: 'read' | 'workspace' | 'write', file: string) {
  if (!user) throw new Error('there is no user')
  const commands = [['cat', `/proc/self/${file}`]]
  const cwd = mode === 'workspace' ? '/usr' : '/'
  const [result] = await runAs(user, { options: { mode, cwd }, commands, wrapper })
  return result?.stdout ?? ''
}

/** The scheduling policy: proc_pid_stat(5), field 41. */
function policyOf(stat: string): number {
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[41 - 3])
}

/** The hard limit: proc_pid_limits(5). */
function hardLimitOf(limits: string, name: string): string | undefined {
  return new RegExp(`^${name} +\\S+ +(\\S+)`, 'm').exec(limits)?.[1]
}

const realTime = ['chrt', '-r', '1']
const raised = ['prlimit', '--rtprio=7', '--nice=30']
const can = ([program = '', ...words]: readonly string[]) =>
  spawnSync(program, [...words, 'true'], { stdio: 'ignore' }).status === 0

// sched.h: SCHED_OTHER, SCHED_RR
const [ordinary, roundRobin] = [0, 2]

describe.runIf(can(realTime))('a host of real-time priority', () => {
  it.for(['read', 'workspace'] as const)('gives none to a command of %s mode', async (mode) => {
    expect(policyOf(await saidBy(realTime, mode, 'stat'))).toBe(ordinary)
  })

  it('leaves a command of write mode as it is itself', async () => {
    expect(policyOf(await saidBy(realTime, 'write', 'stat'))).toBe(roundRobin)
  })
})

describe.runIf(can(raised))('a host that may raise priorities', () => {
  it.for(['Max realtime priority', 'Max nice priority'])(
    'gives no command of read mode that right: %s',
    async (name) => {
      expect(hardLimitOf(await saidBy(raised, 'read', 'limits'), name)).toBe('0')
      expect(hardLimitOf(await saidBy(raised, 'write', 'limits'), name)).not.toBe('0')
    },
  )
})

it.for([
  ['in the middle of their commands: the main thread works on', 'terminated'],
  ['though no other thread has loaded the addon', 'alone'],
] as const)('worker threads end, and what they run with them, %s', async ([, how]) => {
  const marker = ownMarker()
  const script = join(repository, 'test/fixtures/host/workers.mjs')
  const child = spawn(process.execPath, [script, how, makeDirectory(), marker, compileFixture('daemon')])
  const printed = Promise.all([text(child.stdout), text(child.stderr)])
  const ended = once(child, 'exit')
  await Promise.race([once(child.stdout, 'data'), ended])
  // The host has the marker among its own arguments.
  expect(await waitFor(() => aliveWith(marker).every((pid) => pid === child.pid))).toBe(true)
  child.stdin.end()
  expect([await ended, await printed]).toEqual([
    [0, null],
    ['done\n', ''],
  ])
})

it("two copies of the addon in one process do not get in each other's way", async () => {
  const marker = ownMarker()
  const script = join(repository, 'test/fixtures/host/twice.mjs')
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [script, makeDirectory(), marker])
  const said = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(said, stderr).toEqual([true, [3, 3], [['create'], ['create']], [true, true], 4, 5])
  expect(await survivors(marker)).toEqual([])
})
