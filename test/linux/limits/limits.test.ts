import { describe, expect, it } from 'vitest'
import { limitsEnforcement, limitsOf } from '../../../src/host/mode-setup.ts'
import { linuxLimits } from '../../../src/launch/native.ts'
import { privateTmpNote, withoutSessions } from '../../../src/messages/limits.ts'
import { ownMarker } from '../../helpers/markers.ts'
import { openTestShell } from '../../helpers/place.ts'
import { aliveWith, waitFor } from '../../helpers/processes.ts'
import { addonless } from '../../sandbox/hosts.ts'

/** A command of `count` processes that all run at the same time until the test has seen them; the first is the shell. */
async function runProcesses(mode: 'read' | 'write', count: number, limit: number) {
  const marker = ownMarker()
  const shell = await openTestShell({ mode, toml: `[limits]\nprocesses = ${limit}\n` })
  const stop = new AbortController()
  const sleepers = `sleep ${marker} & `.repeat(count - 1)
  let over = false
  const running = shell
    .execute({ command: `: ${marker}; ${sleepers} wait` }, { signal: stop.signal })
    .finally(() => {
      over = true
    })
  const all = await waitFor(() => over || aliveWith(marker).length === count)
  // The limit counts at least every 10 ms: it has seen them when the processes are still there some counts later.
  for (let looks = 0; looks < 20 && !over; looks++) await new Promise((resolve) => setTimeout(resolve, 10))
  stop.abort()
  const { outcome } = await running
  return { all, outcome }
}

describe.runIf(process.platform === 'linux').each(['read', 'write'] as const)(
  'the limit of processes in %s mode',
  (mode) => {
    it('lets a command have as many as it says', async () => {
      expect(await runProcesses(mode, 4, 4)).toEqual({ all: true, outcome: { kind: 'cancelled' } })
    })

    it('ends a command that has one more', async () => {
      const { outcome } = await runProcesses(mode, 5, 4)
      expect(outcome).toEqual({ kind: 'limited', limit: 'processes', value: 4 })
    })
  },
)

const keys = ['memory_bytes', 'cpu_seconds', 'processes', 'open_files']

it.for(keys)('without the addon %s is refused, not ignored', async (key) => {
  const opening = openTestShell({ mode: 'write', host: addonless(), toml: `[limits]\n${key} = 64\n` })
  await expect(opening).rejects.toMatchObject({ code: 'SANDBOX_UNAVAILABLE', refusal: { for: 'limits' } })
})

it('without sessions the limit of the private TMPDIR is reported as not enforced', () => {
  const holder = linuxLimits({ cgroup: '', cgroupMissing: 'unmounted', sessions: false })
  const none = { memory_bytes: 0, cpu_seconds: 0, processes: 0, open_files: 0 }
  const rowOf = (bytes: number) =>
    limitsEnforcement(limitsOf({ ...none, private_tmp_bytes: bytes }, true), holder)
  expect(rowOf(2 ** 30)).toEqual({
    limits: {
      enforced: false,
      by: 'none',
      note: privateTmpNote(withoutSessions),
    },
  })
  expect(rowOf(0)).toEqual({})
})
