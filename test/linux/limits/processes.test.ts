import { describe, expect, it } from 'vitest'
import { ownMarker } from '../../helpers/markers.ts'
import { openTestShell } from '../../helpers/place.ts'
import { aliveWith, waitFor } from '../../helpers/processes.ts'

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
