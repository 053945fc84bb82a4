import { expect, it } from 'vitest'
import { describeReads } from './describe.ts'
import { readAttacks } from './reads/table.ts'
import { users } from './table.ts'

it('the table holds at least 30 attempts, each under a name of its own', () => {
  expect(readAttacks.length).toBeGreaterThanOrEqual(30)
  expect(new Set(readAttacks.map(({ name }) => name)).size).toBe(readAttacks.length)
})

/** attacks.deep.test.ts tries the table as another user. */
for (const user of users.slice(0, 1)) describeReads(user)
