import { describe, expect, it } from 'vitest'
import { users } from '../../attacks/table.ts'
import { whyNot } from '../../helpers/other-users.ts'
import { operations, race } from './races.ts'

const tries = 2_000

for (const user of users)
  describe.runIf(process.platform === 'linux' && whyNot(user) === null)(
    `races against workspace mode as ${user.name}`,
    () => {
      it.for(operations)(
        '%s changes nothing outside and nothing protected, as it does in write mode',
        async (operation) => {
          const held = await race(user, 'workspace', operation, tries)
          expect(held.after).toEqual(held.before)
          expect(held.tries).toBe(tries)
          expect(held.succeeded).toBeGreaterThan(0)
          const open = await race(user, 'write', operation, tries)
          expect(open.after.outside).not.toEqual(open.before.outside)
          expect(open.after.git).not.toEqual(open.before.git)
        },
      )
    },
  )
