import { execFileSync } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { AnyResult } from '../../src/base/types.ts'
import { openTestShell } from '../helpers/place.ts'
import { aliveWith, endAll, makeMarker, survivors, waitFor } from '../helpers/processes.ts'

const savedBy = ({ scratchpad }: AnyResult) => readFileSync(scratchpad?.path ?? '')

/** Pieces of 1 to 100,000 bytes, 3 MB in all, as the argument says; characters of 1 to 4 bytes, cut anywhere. */
const mixed = `python3 -c 'import os, random, sys
r = random.Random(int(sys.argv[1]))
text = "".join("%d %s\\n" % (i, r.choice(["a", "\\u00e9", "\\u20ac", "\\U0001f600"]) * r.randrange(90)) for i in range(30000)).encode()
pieces, at = [], 0
while at < len(text):
    size = r.choice([1, 10, 1000, 100000])
    while at < len(text) and size: n = os.write(1, text[at:at + size]); at += n; size -= n
'`

describe.each(['read', 'write'] as const)('%s mode: output past 1 MiB', (mode) => {
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

  it('keeps its order, whatever the size of the writes', async () => {
    const shell = await openTestShell({ mode })
    const running = [0, 1].map((seed) => shell.execute({ command: `${mixed} ${seed}`, merged: true }))
    for (const result of await Promise.all(running)) {
      const numbers = savedBy(result)
        .toString()
        .split('\n')
        .map((line) => Number(line.split(' ', 1)[0]))
      expect(numbers.length).toBe(30_001)
      expect(numbers.slice(0, -1).every((number, at) => number === at)).toBe(true)
    }
  })
})

const lines = 400_000

it('output past 1 MiB of both streams at once is saved to the last byte, each in its order', async () => {
  const shell = await openTestShell({ mode: 'write' })
  const digits = `seq ${lines}`
  const letters = `${digits} | tr '0-9\\n' 'a-j_'`
  const result = await shell.execute({ command: `${digits} & ${letters} >&2; wait` })
  const { path = '' } = result.scratchpad ?? {}
  expect(result).toMatchObject({ exitCode: 0, bytes: statSync(path).size, truncated: true })
  const hashOf = (line: string) =>
    execFileSync('sh', ['-c', `${line} | sha256sum`, path], { encoding: 'utf8' })
  expect(hashOf(`tr -d '0-9\\n' < "$0"`)).toBe(hashOf(letters))
  expect(hashOf(`tr -d a-j_ < "$0"`)).toBe(hashOf(digits))
  const last = String(lines)
  expect(result.stdout.startsWith('1\n2\n') && result.stdout.endsWith(`\n${last}\n`)).toBe(true)
  const lettersOfLast = last.replace(/\d/g, (digit) => 'abcdefghij'[Number(digit)] ?? '')
  expect(result.stderr.startsWith('b_c_') && result.stderr.endsWith(`_${lettersOfLast}_`)).toBe(true)
})
