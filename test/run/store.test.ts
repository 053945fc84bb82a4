import { execFileSync } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { AnyResult } from '../../src/base/types.ts'
import { openTestShell } from '../helpers/place.ts'
import { waitFor } from '../helpers/processes.ts'

const savedBy = ({ scratchpad }: AnyResult) => readFileSync(scratchpad?.path ?? '')

describe.each(['read', 'write'] as const)('%s mode: output that is saved', (mode) => {
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
})

const lines = 400_000

it('output of both streams at once is saved to the last byte, each in its order', async () => {
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
