import { everyAttack, isQuick } from './attacks.ts'
import { describeTable } from './describe.ts'
import { users } from './table.ts'

/** attacks.test.ts tries the other rows as the current user without the network. */
for (const [at, user] of users.entries()) {
  describeTable(user, false, at === 0 ? everyAttack().filter((row) => !isQuick(row)) : everyAttack())
  describeTable(user, true)
}
