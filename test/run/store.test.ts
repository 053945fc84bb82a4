import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { AnyResult } from '../../src/base/types.ts'
import { openTestShell } from '../helpers/place.ts'
import { aliveWith, endAll, makeMarker, survivors, waitFor } from '../helpers/processes.ts'

const modes = ['read', 'write'] as const
const savedBy = ({ scratchpad }: AnyResult) => readFileSync(scratchpad?.path ?? '')
const threads = () =>
  readdirSync('/proc/self/task').map((id) => readFileSync(`/proc/self/task/${id}/comm`, 'utf8').trim())

/** Pieces of 1 to 100,000 bytes, 3 MB in all, as the argument says; characters of 1 to 4 bytes, cut anywhere. */
const mixed = `python3 -c 'import os, random, sys
r = random.Random(int(sys.argv[1]))
text = "".join("%d %s\\n" % (i, r.choice(["a", "\\u00e9", "\\u20ac", "\\U0001f600"]) * r.randrange(90)) for i in range(30000)).encode()
pieces, at = [], 0
while at < len(text):
    size = r.choice([1, 10, 1000, 100000])
    to = 1 if len(sys.argv) == 2 or r.randrange(3) else 2
    while at < len(text) and size: n = os.write(to, text[at:at + size]); at += n; size -= n
'`

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

  it('keeps its order while it changes hands, whatever the size of the writes', async () => {
    const shell = await openTestShell({ mode })
    const seeds = Array.from({ length: 12 }, (_, at) => at)
    await Promise.all(
      seeds.map(async (seed) => {
        const command = `${mixed} ${seed}`
        const result = await shell.execute({ command, merged: true })
        const numbers = savedBy(result)
          .toString()
          .split('\n')
          .map((line) => Number(line.split(' ', 1)[0]))
        expect(numbers.length).toBe(30_001)
        expect(numbers.slice(0, -1).every((number, at) => number === at)).toBe(true)
      }),
    )
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
    expect(savedBy(over).length).toBe(5_000_001)
    const flood = await shell.execute({ command: 'yes & yes >&2' })
    expect(flood.outputLimited).toBe(true)
    expect(flood.bytes).toBeLessThan(32_000_000)
    expect(savedBy(flood).length).toBe(flood.bytes)
  })

  it('is kept when the command is ended in the middle: deadline, signal, close', async () => {
    const shell = await openTestShell({ mode })
    const late = await shell.execute({ command: 'yes', timeoutMs: 500 })
    expect(late.outcome.kind).toBe('timed-out')
    const abort = new AbortController()
    const cancelled = shell.execute({ command: 'yes', scratchpad: 'mine' }, { signal: abort.signal })
    expect(await waitFor(() => (shell.scratchpad.find('mine')?.bytes ?? 0) > 4_000_000)).toBe(true)
    abort.abort()
    const closed = shell.execute({ command: 'yes', scratchpad: 'other' })
    expect(await waitFor(() => (shell.scratchpad.find('other')?.bytes ?? 0) > 4_000_000)).toBe(true)
    await shell.close()
    for (const result of [late, await cancelled, await closed]) {
      expect(result.bytes).toBeGreaterThan(1_048_576)
      expect(savedBy(result).length).toBe(result.bytes)
    }
    expect((await cancelled).cancelled && (await closed).cancelled).toBe(true)
  })

  it.for([
    ['silent', (marker: string) => `sleep ${marker} &`],
    ['writing', (marker: string) => `yes ${marker} &`],
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

describe('output past 1 MiB', () => {
  it('of both streams at once is saved to the last byte, each in its order', async () => {
    const shell = await openTestShell({ mode: 'write' })
    // 64 MiB in all.
    const digits = 'seq 4300000'
    const letters = `${digits} | tr '0-9\\n' 'a-j_'`
    const result = await shell.execute({ command: `${digits} & ${letters} >&2; wait` })
    const { path = '' } = result.scratchpad ?? {}
    expect(result).toMatchObject({ exitCode: 0, bytes: statSync(path).size, truncated: true })
    const hashOf = (line: string) =>
      execFileSync('sh', ['-c', `${line} | sha256sum`, path], { encoding: 'utf8' })
    expect(hashOf(`tr -d '0-9\\n' < "$0"`)).toBe(hashOf(letters))
    expect(hashOf(`tr -d a-j_ < "$0"`)).toBe(hashOf(digits))
    expect(result.stdout.startsWith('1\n2\n') && result.stdout.endsWith('\n4300000\n')).toBe(true)
    expect(result.stderr.startsWith('b_c_') && result.stderr.endsWith('_edaaaaa_')).toBe(true)
  })

  it.for([0, 1001, 30_000])('shows the same as a listener gets, cut to %s', async (most) => {
    const shell = await openTestShell({ mode: 'read' })
    const shownOf = ({ stdout, stderr, bytes }: AnyResult) => ({ stdout, stderr, bytes })
    for (const encoding of ['utf8', 'buffer'] as const) {
      const call = { command: `${mixed} ${most} both` }
      const options = { inlineMaxChars: most, encoding }
      const stored = await shell.execute(call, options)
      const passed = await shell.execute(call, { ...options, onOutput: () => {} })
      expect(shownOf(stored)).toEqual(shownOf(passed))
      expect(savedBy(stored).length).toBe(stored.bytes)
      const merged = { ...call, merged: true }
      expect((await shell.execute(merged, options)).output).toEqual(
        (await shell.execute(merged, { ...options, onOutput: () => {} })).output,
      )
    }
  })
})
