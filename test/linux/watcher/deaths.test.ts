import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ownMarker } from '../../helpers/markers.ts'
import { makeDirectory } from '../../helpers/place.ts'
import { aliveWith, survivors, waitFor } from '../../helpers/processes.ts'
import { readable } from '../../helpers/programs.ts'
import { commandsOf, startHost, watchersOf } from './hosts.ts'

describe.runIf(process.platform === 'linux')('when the host is killed', () => {
  it.for(['read', 'write'])('a command of %s mode ends although the watcher does nothing', async (mode) => {
    const marker = ownMarker()
    const host = startHost('wait', mode, [`echo started; exec sleep ${marker}`])
    await host.ready
    const [watcher = 0] = watchersOf(host.child.pid)
    process.kill(watcher, 'SIGSTOP')
    onTestFinished(() => void process.kill(watcher, 'SIGCONT'))
    expect(commandsOf(host, marker)).toHaveLength(1)
    await host.kill()
    expect(await survivors(marker)).toEqual([])
  })

  it.for(['setsid', 'env A=B setsid', 'setsid setsid'])(
    'a process of write mode that has left the session ends by its cookie: %s',
    async (leave) => {
      const marker = ownMarker()
      const host = startHost('wait', 'write', [`${leave} sleep ${marker} & echo started; sleep ${marker}`])
      await host.ready
      expect(await waitFor(() => commandsOf(host, marker).length >= 2)).toBe(true)
      await host.kill()
      expect(await survivors(marker)).toEqual([])
    },
  )

  it('a daemon of read mode ends although another process holds the pipe to the watcher', async () => {
    const [marker, heir] = [ownMarker(), ownMarker()]
    const script = join(readable, 'test/fixtures/host/sharing.mjs')
    const line = `(setsid sleep ${marker} & setsid sleep ${marker} &); echo started; sleep ${marker}`
    const host = spawn(process.execPath, [script, makeDirectory(), line, heir], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    const [said] = await once(host.stdout, 'data')
    expect(String(said)).toBe('ready 1\n')
    expect(await waitFor(() => aliveWith(heir).some((pid) => pid !== host.pid))).toBe(true)
    host.kill('SIGKILL')
    await once(host, 'exit')
    expect(await survivors(marker)).toEqual([])
    expect(aliveWith(heir)).toHaveLength(1)
  })
})
