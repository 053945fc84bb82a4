import { describe, expect, it } from 'vitest'
import { users } from '../../attacks/table.ts'
import { operations, race } from './races.ts'

/** races.alone.test.ts makes many more, as an ordinary user as well. */
const tries = 2_000

describe.runIf(process.platform === 'linux')('races against workspace mode', () => {
  it.for(operations)(
    '%s changes nothing outside and nothing protected, as it does in write mode',
    async (operation) => {
      const [user] = users
      if (!user) throw new Error('there is no user')
      const held = await race(user, 'workspace', operation, tries)
      expect(held.after).toEqual(held.before)
      expect(held.tries).toBe(tries)
      expect(held.succeeded).toBeGreaterThan(0)
      const open = await race(user, 'write', operation, tries)
      expect(open.after.outside).not.toEqual(open.before.outside)
      expect(open.after.git).not.toEqual(open.before.git)
    },
  )
})
