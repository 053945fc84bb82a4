import { expect, it } from 'vitest'
import { attacks, everyAttack, isQuick } from './attacks.ts'
import { describeTable } from './describe.ts'
import { users } from './table.ts'

it('the table holds at least 120 attempts, each under a name of its own', () => {
  const names = everyAttack().map(({ name }) => name)
  expect(names.length).toBeGreaterThanOrEqual(120)
  expect(new Set(names).size).toBe(names.length)
  expect(Object.values(attacks).every((rows) => rows.length > 0)).toBe(true)
})

/** attacks.deep.test.ts tries the other rows, and the table with the network and as another user. */
for (const user of users.slice(0, 1)) describeTable(user, false, everyAttack().filter(isQuick))
