import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildPrograms } from '../../attacks/build.ts'
import { users } from '../../attacks/table.ts'
import { ownMarker } from '../../helpers/markers.ts'
import { mounted } from '../../helpers/mounted.ts'
import { makeDirectory, openTestShell } from '../../helpers/place.ts'
import { aliveWith, processEntry, survivors, waitFor } from '../../helpers/processes.ts'
import { builtLibrary, repository } from '../../helpers/programs.ts'
import { runAs } from '../../helpers/run-as.ts'
import { cannotUnshare } from '../../helpers/surroundings.ts'
import { commandsOf, startHost } from '../watcher/hosts.ts'

interface After {
  readonly exitCode: number
  readonly zombies: number
}

/** What test/fixtures/host/process-one.mjs prints. */
type Happened = Readonly<Record<'read' | 'swept' | 'write' | 'background' | 'daemon', After>> & {
  readonly pid: number
  readonly own: readonly (readonly [number | null, string | null])[]
}

const namespace = ['--pid', '--fork', '--mount-proc']
const reason = process.platform === 'linux' ? cannotUnshare(...namespace) : 'PID namespaces are of Linux'

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

  /** Runs its arguments as the ordinary user, where /proc hides what that one cannot read (proc(5), hidepid). */
  const hiding = `exec unshare --mount sh -c 'mount -t proc -o hidepid=2 proc /proc &&
    exec setpriv --reuid=${user.uid} --regid=${user.gid} --clear-groups "$@"' sh "$@"`

  function missing(): string | null {
    if (process.platform !== 'linux' || users.length < 2)
      return 'only root can mount /proc for an ordinary user'
    const { status } = spawnSync('sh', ['-c', hiding, 'sh', 'true'])
    return status === 0 ? null : 'this root cannot mount /proc'
  }

  const attempts = [
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

    it.for(attempts)('nothing outlives its command: %s', async (attempt) => {
      const marker = ownMarker()
      const [result] = await runAs(root, {
        options: { mode: 'read', cwd: '/' },
        commands: [[escapes, attempt, marker]],
        wrapper: ['sh', '-c', hiding, 'sh'],
      })
      expect(result?.stdout).toBe('ok\n')
      expect(result?.survivorsKilled).toBeGreaterThan(0)
      expect(aliveWith(marker)).toEqual([])
    })

    it.for(['background', 'unreadable'] as const)('nothing outlives its host: %s', async (attempt) => {
      const marker = ownMarker()
      const line = `'${escapes}' '${attempt}' ${marker}; echo started; exec sleep ${marker}`
      const host = startHost('wait', 'read', [line], { before: hiding })
      await host.ready
      expect(commandsOf(host, marker).length).toBeGreaterThan(1)
      await host.kill()
      expect(await survivors(marker)).toEqual([])
    })
  })
})
