import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { makeDirectory } from '../../helpers/place.ts'
import { builtLibrary, repository } from '../../helpers/programs.ts'

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
