import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { openTestShell } from '../helpers/place.ts'
import { aliveWith, endAll, makeMarker, survivors, waitFor } from '../helpers/processes.ts'
import { describeStored, modes, savedBy } from './stored.ts'

const threads = () =>
  readdirSync('/proc/self/task').map((id) => readFileSync(`/proc/self/task/${id}/comm`, 'utf8').trim())

describe.each(modes)('%s mode: output past 1 MiB', (mode) => {
  it('is written by a thread of its own, unless a function listens to it', async () => {
    const shell = await openTestShell({ mode })
    const command = 'head -c 2000000 /dev/zero; while [ -e go ]; do sleep 0.02; done'
    const go = (name: string) => execFileSync(name, ['go'], { cwd: shell.cwd })
    for (const onOutput of [undefined, () => {}]) {
      go('touch')
      const file = `go-${onOutput === undefined}`
      const running = shell.execute({ command, scratchpad: file }, { onOutput })
      const size = () => shell.scratchpad.find(file)?.bytes
      expect(await waitFor(() => size() === 2_000_000)).toBe(true)
      expect(threads().includes('vitrine-store')).toBe(onOutput === undefined)
      go('rm')
      expect(await running).toMatchObject({ exitCode: 0, bytes: 2_000_000 })
    }
    expect(await waitFor(() => !threads().includes('vitrine-store'))).toBe(true)
  })

  it('passes up to max_bytes, and one byte more ends the command', async () => {
    const shell = await openTestShell({ mode, toml: '[output]\nmax_bytes = 5000000\n' })
    expect(await shell.execute({ command: 'head -c 5000000 /dev/zero' })).toMatchObject({
      outputLimited: false,
      exitCode: 0,
      bytes: 5_000_000,
    })
    const over = await shell.execute({ command: 'head -c 5000001 /dev/zero; sleep 60' })
    expect(over).toMatchObject({ outputLimited: true, outcome: { limit: 5_000_000 }, bytes: 5_000_001 })
    expect(over.hint).toContain('[output] max_bytes')
    expect(savedBy(over).length).toBe(5_000_001)
    const flood = await shell.execute({ command: 'yes & yes >&2' })
    expect(flood.outputLimited).toBe(true)
    expect(flood.bytes).toBeLessThan(32_000_000)
    expect(savedBy(flood).length).toBe(flood.bytes)
  })

  it('is kept when the command is ended in the middle: deadline, signal, close', async () => {
    const shell = await openTestShell({ mode })
    // Not as fast as it can: tests run beside this one.
    const command = 'while :; do head -c 2000000 /dev/zero; sleep 0.02; done'
    const late = shell.execute({ command, timeoutMs: 4000 })
    const abort = new AbortController()
    const cancelled = shell.execute({ command, scratchpad: 'mine' }, { signal: abort.signal })
    expect(await waitFor(() => (shell.scratchpad.find('mine')?.bytes ?? 0) > 4_000_000)).toBe(true)
    abort.abort()
    const closed = shell.execute({ command, scratchpad: 'other' })
    expect(await waitFor(() => (shell.scratchpad.find('other')?.bytes ?? 0) > 4_000_000)).toBe(true)
    expect((await late).outcome.kind).toBe('timed-out')
    await shell.close()
    for (const result of [await late, await cancelled, await closed]) {
      expect(result.bytes).toBeGreaterThan(1_048_576)
      expect(savedBy(result).length).toBe(result.bytes)
    }
    expect((await cancelled).cancelled && (await closed).cancelled).toBe(true)
  })

  it.for([
    ['silent', (marker: string) => `sleep ${marker} &`],
    ['writing', (marker: string) => `sh -c 'while echo; do sleep 0.01; done' ${marker} &`],
  ] as const)('does not wait for a %s survivor that holds the pipe', async ([, survivor]) => {
    const shell = await openTestShell({ mode })
    const marker = makeMarker()
    const result = await shell.execute({ command: `${survivor(marker)} head -c 3000000 /dev/zero; exit 3` })
    const { path = '' } = result.scratchpad ?? {}
    expect(result).toMatchObject({ exitCode: 3, timedOut: false })
    expect(readFileSync(path).filter((byte) => byte === 0).length).toBe(3_000_000)
    expect(statSync(path).size).toBe(result.bytes)
    expect(mode === 'write' ? aliveWith(marker).length > 0 : (await survivors(marker)).length === 0).toBe(
      true,
    )
    await endAll(marker)
    expect(statSync(path).size).toBe(result.bytes)
  })
})

/** store.deep.test.ts has more. */
describeStored({ commands: 2, lines: 400_000, cuts: [1001] })
