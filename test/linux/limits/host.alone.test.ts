import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { makeDirectory } from '../../helpers/place.ts'
import { aliveWith, endAll, makeMarker, survivors } from '../../helpers/processes.ts'
import { repository } from '../../helpers/programs.ts'

let marker = makeMarker()

afterEach(async () => {
  await endAll(marker)
})

it.for(['read', 'write'])(
  'a host that is killed leaves nothing of a limited command of %s mode',
  async (mode) => {
    marker = makeMarker()
    const script = join(repository, 'test/fixtures/host/host.mjs')
    const line = `trap '' TERM HUP; sleep ${marker} & sleep ${marker} & echo started; sleep ${marker}`
    const env = {
      ...process.env,
      VITRINE_LIMITS_MEMORY_BYTES: '200000000',
      VITRINE_LIMITS_CPU_SECONDS: '30',
      VITRINE_LIMITS_PROCESSES: '40',
      VITRINE_LIMITS_OPEN_FILES: '64',
    }
    const host = spawn(process.execPath, [script, makeDirectory(), 'wait', mode, line], {
      stdio: ['ignore', 'pipe', 'ignore'],
      env,
    })
    const ended = once(host, 'exit')
    await once(host.stdout, 'data')
    expect(aliveWith(marker).filter((pid) => pid !== host.pid).length).toBeGreaterThanOrEqual(3)
    host.kill('SIGKILL')
    await ended
    expect(await survivors(marker)).toEqual([])
  },
)
