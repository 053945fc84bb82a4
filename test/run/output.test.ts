import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Mode } from '../../src/base/types.ts'
import type { ListenerError } from '../../src/messages/error.ts'
import { omittedLine } from '../../src/messages/refusal.ts'
import { openTestShell } from '../helpers/place.ts'
import { aliveWith, makeMarker } from '../helpers/processes.ts'

const modes: readonly Mode[] = ['read', 'write']
/** More than is kept in memory. */
const lines = 30_000
/** Alternating, with no gap between the writes. */
const interleaved = `python3 -c 'import os
for i in range(${lines}): os.write(1 + i % 2, b"%d\\n" % i)'`
const written = Array.from({ length: lines }, (_, at) => `${at}\n`).join('')

describe.each(modes)('%s mode: the order of both streams', (mode) => {
  it('merged, it is exact, and stdout holds both', async () => {
    const shell = await openTestShell({ mode })
    const result = await shell.execute({ command: interleaved, merged: true })
    expect(readFileSync(result.scratchpad?.path ?? '', 'utf8') === written).toBe(true)
    expect(result.stdout).toBe(result.output)
    expect(result.stderr).toBe('')
  })

  it('with two pipes, of which one is read before the other is written, it is that order', async () => {
    const shell = await openTestShell({ mode })
    // Each line waits until the one before it has been read: as many files as pieces.
    const next = '{ while [ ! -e read$n ]; do sleep 0.01; done; n=$((n+1)); }'
    const command = `n=0; for i in 1 2 3 4 5; do ${next}; echo out $i; ${next}; echo err $i >&2; done`
    let pieces = 0
    const read = () => writeFileSync(join(shell.cwd, `read${pieces++}`), '')
    read()
    const wanted = [1, 2, 3, 4, 5].map((at) => `out ${at}\nerr ${at}\n`).join('')
    expect((await shell.execute({ command }, { onOutput: read })).output).toBe(wanted)
  })

  it('onOutput gets every byte, each with its stream, before the result', async () => {
    const shell = await openTestShell({ mode })
    const got = { stdout: '', stderr: '' }
    let over = false
    const running = shell.execute(
      { command: 'seq 20000; seq 20000 >&2' },
      {
        onOutput: (stream, chunk) => {
          expect(over).toBe(false)
          got[stream] += chunk.toString()
        },
      },
    )
    const result = await running
    over = true
    const wanted = Array.from({ length: 20_000 }, (_, at) => `${at + 1}\n`).join('')
    expect(got.stdout === wanted && got.stderr === wanted).toBe(true)
    expect(result.bytes).toBe(2 * wanted.length)
    expect(readFileSync(result.scratchpad?.path ?? '').length).toBe(2 * wanted.length)
  })
})

/** What a call rejects with; fails for one that resolves. */
async function rejection(call: Promise<unknown>): Promise<ListenerError> {
  return call.then(
    () => expect.fail('it resolved'),
    (error) => error,
  )
}

describe.each(['read', 'write'] as const)('%s mode: an onOutput that fails', (mode) => {
  const listeners = {
    throws: (cause: Error) => () => {
      throw cause
    },
    rejects: (cause: Error) => async () => {
      throw cause
    },
  }
  it.each(Object.entries(listeners))(
    'ends the command when it %s, and execute rejects with the result',
    async (_, listener) => {
      const shell = await openTestShell({ mode })
      const marker = makeMarker()
      const cause = new Error('the disk of the caller is full')
      const command = `echo told; exec sleep ${marker}`
      const error = await rejection(shell.execute({ command }, { onOutput: listener(cause) }))
      expect(error).toMatchObject({ name: 'ListenerError', code: 'LISTENER_FAILED', cause })
      expect(error.message).toContain(cause.message)
      expect(error.result).toMatchObject({
        cancelled: true,
        stdout: 'told\n',
        outcome: { kind: 'cancelled' },
      })
      expect(aliveWith(marker)).toEqual([])
    },
  )

  it('is not called again, and the first failure is the one that is told', async () => {
    const shell = await openTestShell({ mode })
    let calls = 0
    const onOutput = () => {
      throw new Error(`call ${++calls}`)
    }
    const command = 'trap "" TERM; while :; do echo x; done'
    const error = await rejection(shell.execute({ command }, { onOutput }))
    expect([calls, error.cause]).toEqual([1, new Error('call 1')])
  })
})

describe('inlineMaxChars', () => {
  it('0 shows nothing, and everything is saved', async () => {
    const shell = await openTestShell({ mode: 'read' })
    const result = await shell.execute({ command: 'echo x; echo y >&2' }, { inlineMaxChars: 0 })
    expect(result).toMatchObject({ output: '', stdout: '', stderr: '', truncated: true, omittedBytes: 4 })
    expect(readFileSync(result.scratchpad?.path ?? '', 'utf8')).toBe('x\ny\n')
    const silent = await shell.execute({ command: 'true' }, { inlineMaxChars: 0 })
    expect(silent).toMatchObject({ output: '', truncated: false, omittedBytes: 0 })
    expect(silent.scratchpad).toBeUndefined()
  })
})

it.each([-1, 1.5, 67_108_865, Number.NaN, '5'])('inlineMaxChars %s is refused', async (inlineMaxChars) => {
  const shell = await openTestShell({ mode: 'read' })
  const call = shell.execute({ command: 'echo x' }, { inlineMaxChars: inlineMaxChars as number })
  const problem = { field: 'inlineMaxChars', wanted: 'an integer from 0 to 67108864' }
  await expect(call).rejects.toMatchObject({ code: 'INVALID_REQUEST', refusal: { problem } })
})

describe("encoding: 'buffer'", () => {
  const everyByte = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))

  it('gives the bytes as they came', async () => {
    const shell = await openTestShell({ mode: 'read' })
    const result = await shell.execute(
      { command: 'cat; printf "\\377" >&2', stdin: everyByte },
      { encoding: 'buffer' },
    )
    expect(result.stdout.equals(everyByte)).toBe(true)
    expect(result.stderr).toEqual(Buffer.from([255]))
    expect(result.output.length).toBe(257)
    expect([result.truncated, result.scratchpad]).toEqual([false, undefined])
  })

  it('counts inlineMaxChars in bytes; longer output is cut and saved', async () => {
    const shell = await openTestShell({ mode: 'read' })
    const options = { encoding: 'buffer', inlineMaxChars: 100 } as const
    const result = await shell.execute({ argv: ['cat'], stdin: everyByte }, options)
    expect(result).toMatchObject({ truncated: true, omittedBytes: 156 })
    expect(result.stdout.subarray(0, 50).equals(everyByte.subarray(0, 50))).toBe(true)
    expect(result.stdout.subarray(-50).equals(everyByte.subarray(-50))).toBe(true)
    expect(result.stdout.toString('latin1')).toContain(omittedLine(156))
    expect(readFileSync(result.scratchpad?.path ?? '')).toEqual(everyByte)
    expect((await shell.execute({ command: 'echo x' }, { ...options, inlineMaxChars: 0 })).stdout).toEqual(
      Buffer.alloc(0),
    )
  })
})
