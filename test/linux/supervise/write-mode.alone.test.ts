import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Shell } from '../../../src/shell.ts'
import { makeDirectory, openTestShell } from '../../helpers/place.ts'
import { aliveWith, isLocked, makeMarker, processEntry, waitFor } from '../../helpers/processes.ts'
import { clearedMarker, clearUp, compilePrograms, escapes, leftOf, type Programs } from './escapes.ts'
import { graceMs, hasRun, runWatched } from './watched.ts'

/** Without a filter nothing keeps these from leaving session and environment both, or from outrunning the scan. */
const outOfReach = /fork bomb|comet/

let programs: Programs
let shell: Shell
const marked = () => clearedMarker(programs)

beforeAll(async () => {
  programs = compilePrograms()
  shell = await openTestShell({ mode: 'write', toml: `[shell]\nkill_grace_ms = ${graceMs}\n` })
})

describe('write mode: background children live on', () => {
  it.for(escapes.filter(({ leaves }) => leaves))('after an ordinary exit: $name', async ({ leaves }) => {
    const marker = marked()
    const { result } = await runWatched(shell, leaves?.(programs, marker) ?? '', marker)
    // So that the same rows prove something in read mode.
    expect(aliveWith(marker).length > 0 || isLocked(programs.comet)).toBe(true)
    expect(result).toMatchObject({ exitCode: 0, survivorsKilled: 0 })
  })

  it('says how many, and in which group', async () => {
    const marker = marked()
    const line = `sleep ${marker} & sleep ${marker} & echo started`
    const { result } = await runWatched(shell, line, marker)
    const pids = aliveWith(marker)
    expect(pids).toHaveLength(2)
    expect(result.background).toEqual({ count: 2, group: processEntry(pids[0] ?? 0)?.session })
  })

  it('they outlive the closing of the shell', async () => {
    const marker = marked()
    const own = await openTestShell({ mode: 'write' })
    await runWatched(own, `sleep ${marker} & echo started`, marker)
    await own.close()
    expect(aliveWith(marker)).toHaveLength(1)
  })

  it('a child that writes on after the result is neither stopped nor killed by its pipe', async () => {
    const marker = marked()
    const written = join(makeDirectory(), 'written')
    const late = `for i in 1 2 3 4 5 6; do echo late; sleep 0.1; done; echo > ${written}`
    await runWatched(shell, `(${late}; exec sleep ${marker}) & echo started`, marker)
    expect(await waitFor(() => existsSync(written))).toBe(true)
    expect(aliveWith(marker)).not.toEqual([])
  })
})

describe('write mode: an end from outside takes everything along', { concurrent: true }, () => {
  const timeoutMs = 2000
  const reachable = escapes.filter(({ name }) => !outOfReach.test(name))

  it.for(reachable)('at the deadline: $name', async ({ stays }, { expect }) => {
    const marker = makeMarker()
    const watched = await runWatched(shell, stays(programs, marker), marker, { timeoutMs })
    const left = await leftOf(programs, marker)
    await clearUp(programs, marker)
    expect(hasRun(watched, timeoutMs)).toBe(true)
    expect(left).toEqual([])
    expect(watched.result).toMatchObject({ timedOut: true, outcome: { kind: 'timed-out' } })
  })

  it('on abort', async ({ expect }) => {
    const marker = makeMarker()
    const abort = new AbortController()
    const line = `${programs.daemon} 5 stay ${marker}`
    const { result, seen } = await runWatched(shell, line, marker, {
      signal: abort.signal,
      onStarted: () => abort.abort(),
    })
    const left = await leftOf(programs, marker)
    await clearUp(programs, marker)
    expect(seen.length).toBeGreaterThan(5)
    expect(left).toEqual([])
    expect(result).toMatchObject({ cancelled: true, outcome: { kind: 'cancelled' } })
  })
})

describe('write mode: the deadline is kept even where not all can be reached', () => {
  const timeoutMs = 700

  it.for(escapes.filter(({ name }) => outOfReach.test(name)))('$name', async ({ stays }) => {
    const marker = marked()
    const watched = await runWatched(shell, stays(programs, marker), marker, { timeoutMs })
    expect(watched.result.timedOut).toBe(true)
  })
})
