import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Mode } from '../../src/base/types.ts'
import { openTestShell } from '../helpers/place.ts'

const modes: readonly Mode[] = ['read', 'write']
const lines = 1000
/** Alternating, with no gap between the writes. */
const interleaved = `python3 -c 'import os
for i in range(${lines}): os.write(1 + i % 2, b"%d\\n" % i)'`
const numbers = Array.from({ length: lines }, (_, at) => at)
const textOf = (of: readonly number[]) => of.map((at) => `${at}\n`).join('')

describe.each(modes)('%s mode: the order of both streams', (mode) => {
  it('merged, it is exact, and stdout holds both', async () => {
    const shell = await openTestShell({ mode })
    const result = await shell.execute({ command: interleaved, merged: true })
    expect(result.output).toBe(textOf(numbers))
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
