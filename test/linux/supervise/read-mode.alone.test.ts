import { beforeAll, describe, expect, it } from 'vitest'
import type { Shell } from '../../../src/shell.ts'
import { openTestShell } from '../../helpers/place.ts'
import { makeMarker } from '../../helpers/processes.ts'
import {
  clearedMarker,
  clearUp,
  compilePrograms,
  type Escape,
  escapes,
  leftOf,
  type Programs,
} from './escapes.ts'
import { graceMs, hasRun, runWatched } from './watched.ts'

let programs: Programs
let shell: Shell
const marked = () => clearedMarker(programs)

beforeAll(async () => {
  programs = compilePrograms()
  shell = await openTestShell({ mode: 'read', toml: `[shell]\nkill_grace_ms = ${graceMs}\n` })
})

describe('read mode: nothing outlives its command', () => {
  it.for(escapes.filter(({ leaves }) => leaves))('when it ends by itself: $name', async ({ leaves }) => {
    const marker = marked()
    const { result } = await runWatched(shell, leaves?.(programs, marker) ?? '', marker)
    expect(await leftOf(programs, marker)).toEqual([])
    expect(result).toMatchObject({ exitCode: 0, timedOut: false, outcome: { kind: 'exited', code: 0 } })
    expect(result.survivorsKilled).toBeGreaterThan(0)
    expect(result).not.toHaveProperty('background')
  })

  it.for(escapes)('when the caller aborts it: $name', async ({ stays }) => {
    const marker = marked()
    const abort = new AbortController()
    const watched = await runWatched(shell, stays(programs, marker), marker, {
      signal: abort.signal,
      onStarted: () => abort.abort(),
    })
    expect(watched.seen).not.toEqual([])
    expect(await leftOf(programs, marker)).toEqual([])
    expect(watched.result).toMatchObject({ cancelled: true, timedOut: false, outcome: { kind: 'cancelled' } })
  })
})

/** They take all the processor time there is: one at a time. */
const isGreedy = ({ name }: Escape) => /fork bomb|comet|never stops/.test(name)

async function meetsDeadline({ stays }: Escape, timeoutMs: number): Promise<void> {
  const marker = makeMarker()
  const watched = await runWatched(shell, stays(programs, marker), marker, { timeoutMs })
  const left = await leftOf(programs, marker)
  await clearUp(programs, marker)
  expect(hasRun(watched, timeoutMs)).toBe(true)
  expect(left).toEqual([])
  expect(watched.result).toMatchObject({
    timedOut: true,
    timeoutMs,
    outcome: { kind: 'timed-out', afterMs: timeoutMs },
    failure: { kind: 'timeout', retryable: true },
  })
  expect(watched.result.stdout).toContain('started')
}

describe('read mode: the deadline is kept, and nothing is left', () => {
  it.for(escapes.filter(isGreedy))('$name', async (row) => meetsDeadline(row, 600))

  it.concurrent.for(escapes.filter((row) => !isGreedy(row)))('$name', async (row) => meetsDeadline(row, 2000))
})

describe('read mode: other ends', () => {
  it('closing the shell kills everything that runs in it', async () => {
    const own = await openTestShell({ mode: 'read', toml: `[shell]\nkill_grace_ms = ${graceMs}\n` })
    const runs = escapes.map(({ stays }) => {
      const marker = marked()
      let started = () => {}
      const begun = new Promise<void>((resolve) => {
        started = resolve
      })
      return { marker, begun, run: runWatched(own, stays(programs, marker), marker, { onStarted: started }) }
    })
    await Promise.all(runs.map(({ begun }) => begun))
    await own.close()
    for (const { marker, run } of runs) {
      expect((await run).result.outcome).toEqual({ kind: 'cancelled' })
      expect(await leftOf(programs, marker)).toEqual([])
    }
    await expect(own.execute({ command: 'true' })).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
  })

  it('the first cause wins: an abort within the grace of a deadline changes nothing', async () => {
    const marker = marked()
    const abort = new AbortController()
    const slow = await openTestShell({ mode: 'read', toml: '[shell]\nkill_grace_ms = 300\n' })
    const command = `trap 'echo asked' TERM; echo started; while :; do sleep 0.02; : ${marker}; done`
    const onOutput = (_: string, chunk: Buffer) => void (chunk.includes('asked') && abort.abort())
    const result = await slow.execute({ command, timeoutMs: 1000 }, { signal: abort.signal, onOutput })
    expect(result).toMatchObject({ timedOut: true, cancelled: false, stdout: 'started\nasked\n' })
  })
})
