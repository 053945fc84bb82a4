import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildPrograms } from '../../attacks/build.ts'
import { users } from '../../attacks/table.ts'
import { ownMarker } from '../../helpers/markers.ts'
import { mounted } from '../../helpers/mounted.ts'
import { makeDirectory, openTestShell } from '../../helpers/place.ts'
import { aliveWith, processEntry, waitFor } from '../../helpers/processes.ts'
import { builtLibrary, readable, repository } from '../../helpers/programs.ts'
import { runAs } from '../../helpers/run-as.ts'

/** What test/fixtures/host/process-one.mjs prints. */
interface Happened {
  readonly pid: number
  readonly own: readonly (readonly [number | null, string | null])[]
  readonly read: After
  readonly swept: After
  readonly write: After
  readonly background: After
  readonly daemon: After
}

interface After {
  readonly exitCode: number
  readonly zombies: number
}

const namespace = ['--pid', '--fork', '--mount-proc']

function missing(): string | null {
  if (process.platform !== 'linux') return 'PID namespaces are of Linux'
  const { status } = spawnSync('unshare', [...namespace, 'true'], { stdio: 'ignore' })
  return status === 0 ? null : 'no PID namespace can be made'
}

const reason = missing()

describe.skipIf(reason !== null)(
  `a host that is process 1, without an init${reason ? ` (skipped: ${reason})` : ''}`,
  () => {
    let happened: Happened

    beforeAll(() => {
      const script = join(repository, 'test/fixtures/host/process-one.mjs')
      const host = [process.execPath, script, builtLibrary, makeDirectory()]
      const { stdout } = spawnSync('unshare', [...namespace, ...host], { encoding: 'utf8', timeout: 110_000 })
      happened = JSON.parse(stdout) as Happened
    }, 120_000)

    it.for([
      ['read', 'orphans of a read-mode command that have ended'],
      ['swept', 'what a read-mode command left and the sweep killed'],
      ['write', 'orphans of a write-mode command that have ended'],
      ['background', 'what a write-mode command left in the background, once it ends'],
      ['daemon', 'what a write-mode command left in a session of its own, once it ends'],
    ] as const)('%s: reaps %s', ([name]) => {
      expect(happened.pid).toBe(1)
      expect(happened[name]).toEqual({ exitCode: 0, zombies: 0 })
    })

    it('leaves the children of its own to Node, also one in a session of its own', () => {
      expect(happened.own).toEqual([
        [7, null],
        [8, null],
      ])
    })
  },
)

const at = mounted('mkfs.ext4 -q image')
const freeze = (how: '-f' | '-u') => at !== null && spawnSync('fsfreeze', [how, at]).status === 0

/** A write there sleeps uninterruptibly (proc_pid_stat(5)), SIGKILL or not. */
describe.skipIf(at === null || !freeze('-f'))('on a frozen file system', () => {
  afterAll(() => void freeze('-u'))

  it('a command that the kernel cannot end yet returns at its deadline, and is said to run', async () => {
    const shell = await openTestShell({ mode: 'write' })
    const file = join(at ?? '', 'file')
    const alone = await shell.execute({ argv: ['touch', file], timeoutMs: 5000 })
    const both = await shell.execute({ command: `touch ${file} & exec touch ${file}`, timeoutMs: 5000 })
    const groups = [alone, both].map(({ background }) => background?.group ?? 0)
    expect(groups.map((group) => processEntry(group)?.state)).toEqual(['D', 'D'])
    expect(alone).toMatchObject({ timedOut: true, survivorsKilled: 0, background: { count: 1 } })
    expect(both).toMatchObject({ timedOut: true, survivorsKilled: 0, background: { count: 2 } })
    freeze('-u')
    expect(await waitFor(() => groups.every((group) => !processEntry(group)?.running))).toBe(true)
    await shell.close()
  })
})

describe('a /proc that hides processes', () => {
  const nobody = { name: '', uid: -1, gid: -1 }
  const [root = nobody, user = nobody] = users

  /** What stands before a host's command line, so that /proc hides from it the processes that it cannot read (proc(5), hidepid). */
  const hiding = (uid: number, gid: number) => [
    'unshare',
    '--mount',
    'sh',
    '-c',
    `mount -t proc -o hidepid=2 proc /proc && exec setpriv --reuid=${uid} --regid=${gid} --clear-groups "$@"`,
    'sh',
  ]

  function missing(): string | null {
    if (process.platform !== 'linux' || users.length < 2)
      return 'only root can mount /proc for an ordinary user'
    const [program = '', ...words] = [...hiding(user.uid, user.gid), 'true']
    return spawnSync(program, words).status === 0 ? null : 'this root cannot mount /proc'
  }

  const survivors = [
    'background',
    'double fork',
    'ignores every signal',
    'unreadable',
    'stopped',
    'comet',
  ] as const

  describe.skipIf(missing() !== null)('where /proc hides processes from an ordinary user', () => {
    let escapes: string

    beforeAll(() => {
      escapes = buildPrograms().escape
    })

    it.for(survivors)('nothing outlives its command: %s', async (attempt) => {
      const marker = ownMarker()
      const [result] = await runAs(root, {
        options: { mode: 'read', cwd: '/' },
        commands: [[escapes, attempt, marker]],
        wrapper: hiding(user.uid, user.gid),
      })
      expect(result?.stdout).toBe('ok\n')
      expect(result?.survivorsKilled).toBeGreaterThan(0)
      expect(aliveWith(marker)).toEqual([])
    })

    it.for(['background', 'unreadable'] as const)('nothing outlives its host: %s', async (attempt) => {
      const marker = ownMarker()
      const directory = makeDirectory()
      chmodSync(directory, 0o755)
      const line = `${escapes} '${attempt}' ${marker}; echo started; exec sleep ${marker}`
      const script = join(readable, 'test/fixtures/host/host.mjs')
      const [program = '', ...words] = hiding(user.uid, user.gid)
      const host = spawn(program, [...words, process.execPath, script, directory, 'wait', 'read', line], {
        stdio: ['ignore', 'pipe', 'inherit'],
        env: { PATH: process.env['PATH'], HOME: '/dev/null/home' },
      })
      await once(host.stdout, 'data')
      const others = () => aliveWith(marker).filter((pid) => pid !== host.pid)
      expect(others().length).toBeGreaterThan(1)
      host.kill('SIGKILL')
      await waitFor(() => others().length === 0)
      expect(others()).toEqual([])
    })
  })
})
