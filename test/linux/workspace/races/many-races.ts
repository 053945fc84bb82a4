import { describe, expect, it } from 'vitest'
import type { User } from '../../../attacks/table.ts'
import { whyNot } from '../../../helpers/other-users.ts'
import { operations, race } from './races.ts'

/** By each of two users. few-races.ts makes fewer, and the control. */
const tries = Number(process.env['VITRINE_RACES'] ?? 100_000)

/** Alone: beside another race each call waits for its turn on a processor, ten times as long as it takes. */
export function describeManyRaces(user: User): void {
  describe.runIf(process.platform === 'linux' && whyNot(user) === null)(
    `${tries} races against workspace mode as ${user.name}`,
    () => {
      it.for(operations)(
        '%s changes nothing outside and nothing protected',
        { timeout: 1_000_000 },
        async (operation) => {
          const {
            before,
            after,
            tries: made,
            succeeded,
            ms,
          } = await race(user, 'workspace', operation, tries)
          console.info(`${user.name} ${operation}: ${made} tries, ${succeeded} succeeded inside, ${ms} ms`)
          expect(after).toEqual(before)
          expect(made).toBe(tries)
          expect(succeeded).toBeGreaterThan(tries / 100)
        },
      )
    },
  )
}
