import { beforeAll, describe, expect, it } from 'vitest'
import type { Result } from '../../src/base/types.ts'
import { missing, runHost, type Timed } from './hang.ts'

/** What test/fixtures/facts/unreadable.mjs prints. */
interface Happened {
  readonly command: Timed<Result>
  readonly beside: Timed<string>
  readonly longestGap: number
}

describe.skipIf(missing() !== null)(
  `a path kept from being read on a silent file system${missing() ? ` (skipped: ${missing()})` : ''}`,
  () => {
    let happened: Happened

    beforeAll(async () => {
      happened = await runHost('unreadable')
    }, 60_000)

    it('runs nothing, and the call returns after its deadline', () => {
      expect(happened.command.value).toMatchObject({ stdout: '', timedOut: true })
    })

    it('never stops JavaScript, and other commands run', () => {
      expect(happened.longestGap).toBeLessThan(happened.command.ms)
      expect(happened.beside.value).toBe('beside\n')
    })
  },
)
