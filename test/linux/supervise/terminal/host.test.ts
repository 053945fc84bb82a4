import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeDirectory } from '../../../helpers/place.ts'
import { aliveWith, endAll, makeMarker, survivors, waitFor } from '../../../helpers/processes.ts'
import { repository } from '../../../helpers/programs.ts'

describe.each(['read', 'write'])('when the host of a terminal dies, in %s mode', (mode) => {
  it.each(['SIGKILL', 'SIGTERM'] as const)('by %s, everything on it is gone', async (signal) => {
    const marker = makeMarker()
    const home = makeDirectory()
    const script = join(repository, 'test/fixtures/host/terminals.mjs')
    // Deaf to the hang-up, in the foreground and behind it; job control gives each a group of its own.
    const line = `set -m; trap '' HUP TERM; sleep ${marker} & sleep ${marker}`
    const host = spawn(process.execPath, [script, mode, '3', `sh -c "${line}"`], {
      stdio: 'ignore',
      env: { ...process.env, XDG_STATE_HOME: home, XDG_CONFIG_HOME: home },
    })
    const sleeping = () => aliveWith(marker).filter((pid) => pid !== host.pid)
    try {
      // Three times: the line's own shell and the one that it starts, and both that sleep.
      expect(await waitFor(() => sleeping().length >= 9)).toBe(true)
      host.kill(signal)
      await once(host, 'exit')
      expect(await survivors(marker)).toEqual([])
    } finally {
      host.kill('SIGKILL')
      await endAll(marker)
    }
  })
})
