import { execFileSync } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { AnyResult } from '../../src/base/types.ts'
import { openTestShell } from '../helpers/place.ts'

export const modes = ['read', 'write'] as const
export const savedBy = ({ scratchpad }: AnyResult) => readFileSync(scratchpad?.path ?? '')

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

interface Amounts {
  /** Commands at once, in each mode. */
  readonly commands: number
  /** Lines of both streams at once. */
  readonly lines: number
  /** Lengths that the shown output is cut to. */
  readonly cuts: readonly number[]
}

/** What a thread saves, and what is shown of it, is what was written. */
export function describeStored({ commands, lines, cuts }: Amounts): void {
  describe('output past 1 MiB', () => {
    it.for(modes)(
      'keeps its order while it changes hands, whatever the size of the writes: %s',
      async (mode) => {
        const shell = await openTestShell({ mode })
        const seeds = Array.from({ length: commands }, (_, at) => at)
        await Promise.all(
          seeds.map(async (seed) => {
            const result = await shell.execute({ command: `${mixed} ${seed}`, merged: true })
            const saved = savedBy(result).toString().split('\n')
            const numbers = saved.map((line) => Number(line.split(' ', 1)[0]))
            expect(numbers.length).toBe(30_001)
            expect(numbers.slice(0, -1).every((number, at) => number === at)).toBe(true)
          }),
        )
      },
    )

    it('of both streams at once is saved to the last byte, each in its order', async () => {
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

    it.for(cuts)('shows the same as a listener gets, cut to %s', async (most) => {
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
}
