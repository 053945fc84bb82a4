import { isDeepStrictEqual } from 'node:util'
import { describe, expect, it } from 'vitest'
import { users } from '../../../attacks/table.ts'
import { race } from './races.ts'

/** many-races.ts makes more of each, as an ordinary user as well. */
const tries = 500

/** A few races of each operation, and the proof that the same races do harm in write mode. */
export function describeRaces(operations: readonly string[]): void {
  describe.runIf(process.platform === 'linux')('races against workspace mode', () => {
    it.for(operations)(
      '%s changes nothing outside and nothing protected, as it does in write mode',
      async (operation) => {
        const [user] = users
        if (!user) throw new Error('there is no user')
        const held = await race(user, 'workspace', operation, tries)
        expect(held.after).toEqual(held.before)
        expect(held.tries).toBe(tries)
        expect(held.succeeded).toBeGreaterThan(tries / 100)
        // Which name an operation meets is chance: without the sandbox it is made until it has met both.
        const met = { outside: false, git: false }
        for (let round = 0; round < 20 && !(met.outside && met.git); round++) {
          const { before, after } = await race(user, 'write', operation, tries)
          met.outside ||= !isDeepStrictEqual(after.outside, before.outside)
          met.git ||= !isDeepStrictEqual(after.git, before.git)
        }
        expect(met).toEqual({ outside: true, git: true })
      },
    )
  })
}
