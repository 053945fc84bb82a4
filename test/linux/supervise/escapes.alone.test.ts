import { beforeAll, describe, expect, it } from 'vitest'
import type { Result } from '../../../src/base/types.ts'
import type { ExecuteOptions } from '../../../src/request/request.ts'
import type { Shell } from '../../../src/shell.ts'
import { openTestShell } from '../../helpers/place.ts'
import { aliveWith, isLocked, makeMarker } from '../../helpers/processes.ts'
import {
  clearedMarker,
  clearUp,
  compilePrograms,
  type Escape,
  escapes,
  leftOf,
  type Programs,
} from './escapes.ts'

type HeldOrNot = 'read' | 'write'

let programs: Programs
let shells: Readonly<Record<HeldOrNot, Shell>>
const marked = () => clearedMarker(programs)
const open = (mode: HeldOrNot) => openTestShell({ mode, toml: '[shell]\nkill_grace_ms = 50\n' })

beforeAll(async () => {
  programs = compilePrograms()
  shells = { read: await open('read'), write: await open('write') }
})

/** Without a filter nothing keeps these from leaving session and environment both, or from outrunning the scan. */
const isReached = (mode: HeldOrNot, { name }: Escape) => mode === 'read' || !/fork bomb|comet/.test(name)
/** They take all the processor time there is: one at a time. */
const isGreedy = ({ name }: Escape) => /fork bomb|comet|never stops/.test(name)

/** What a run showed from outside. */
interface Watched {
  readonly result: Result
  /** The processes with the marker that ran when the command said that it had started. */
  readonly seen: readonly number[]
  /** Milliseconds from the call to the end of that look. */
  readonly lookedMs: number
}

interface WatchOptions {
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
  /** Called once, when the command has said that it has started. */
  readonly onStarted?: () => void
}

/** Runs a line that prints `started`, and looks at its processes from outside at that moment. */
async function runWatched(
  shell: Shell,
  command: string,
  marker: string,
  { timeoutMs, signal, onStarted }: WatchOptions = {},
): Promise<Watched> {
  const begun = performance.now()
  let started = false
  let seen: number[] = []
  let lookedMs = Number.NaN
  const onOutput: ExecuteOptions['onOutput'] = (_, chunk) => {
    if (started || !chunk.includes('started')) return
    started = true
    seen = aliveWith(marker)
    lookedMs = performance.now() - begun
    onStarted?.()
  }
  const result = await shell.execute({ command, timeoutMs }, { signal, onOutput })
  return { result, seen, lookedMs }
}

describe('a command that ends by itself', () => {
  const leaving = escapes.filter(({ leaves }) => leaves)

  it.for(leaving)('leaves nothing in read mode: $name', async ({ leaves }) => {
    const marker = marked()
    const { result } = await runWatched(shells.read, leaves?.(programs, marker) ?? '', marker)
    expect(await leftOf(programs, marker)).toEqual([])
    expect(result).toMatchObject({ exitCode: 0, timedOut: false, outcome: { kind: 'exited', code: 0 } })
    expect(result.survivorsKilled).toBeGreaterThan(0)
    expect(result).not.toHaveProperty('background')
  })

  it.for(leaving)('leaves its background children in write mode: $name', async ({ leaves }) => {
    const marker = marked()
    const { result } = await runWatched(shells.write, leaves?.(programs, marker) ?? '', marker)
    // So that the same rows prove something in read mode.
    expect(aliveWith(marker).length > 0 || isLocked(programs.comet)).toBe(true)
    expect(result).toMatchObject({ exitCode: 0, survivorsKilled: 0 })
  })

  it('leaves them in write mode though its shell is closed', async () => {
    const marker = marked()
    const own = await open('write')
    await runWatched(own, `sleep ${marker} & echo started`, marker)
    await own.close()
    expect(aliveWith(marker)).toHaveLength(1)
  })
})

describe.for(['read', 'write'] as const)('%s mode: an end from outside takes everything along', (mode) => {
  async function meetsDeadline(row: Escape, timeoutMs: number): Promise<void> {
    const marker = makeMarker()
    const watched = await runWatched(shells[mode], row.stays(programs, marker), marker, { timeoutMs })
    const left = isReached(mode, row) ? await leftOf(programs, marker) : []
    await clearUp(programs, marker)
    // On a busy machine the look at its processes can come after the deadline, and finds none.
    expect(watched.seen.length > 0 || watched.lookedMs >= timeoutMs).toBe(true)
    expect(left).toEqual([])
    expect(watched.result).toMatchObject({
      timedOut: true,
      timeoutMs,
      outcome: { kind: 'timed-out', afterMs: timeoutMs },
      failure: { kind: 'timeout', retryable: true },
    })
    expect(watched.result.stdout).toContain('started')
  }

  it.for(escapes.filter(isGreedy))('at the deadline: $name', async (row) => meetsDeadline(row, 600))

  it.concurrent.for(escapes.filter((row) => !isGreedy(row)))('at the deadline: $name', async (row) =>
    meetsDeadline(row, 2000),
  )

  const reached = escapes.filter((row) => isReached(mode, row))
  it.for(reached)('when the caller aborts it: $name', async ({ stays }) => {
    const marker = marked()
    const abort = new AbortController()
    const watched = await runWatched(shells[mode], stays(programs, marker), marker, {
      signal: abort.signal,
      onStarted: () => abort.abort(),
    })
    expect(watched.seen).not.toEqual([])
    expect(await leftOf(programs, marker)).toEqual([])
    expect(watched.result).toMatchObject({ cancelled: true, timedOut: false, outcome: { kind: 'cancelled' } })
  })
})

describe('read mode: other ends', () => {
  it('closing the shell kills everything that runs in it', async () => {
    const own = await open('read')
    const runs = escapes.map(({ stays }) => {
      const marker = marked()
      let onStarted = () => {}
      const begun = new Promise<void>((resolve) => {
        onStarted = resolve
      })
      return { marker, begun, run: runWatched(own, stays(programs, marker), marker, { onStarted }) }
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
