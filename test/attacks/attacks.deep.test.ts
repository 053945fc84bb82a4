import { everyAttack, isQuick } from './attacks.ts'
import { describeReads, describeTable } from './describe.ts'
import { users } from './table.ts'

/** attacks.test.ts tries the other rows as the current user without the network. */
for (const [at, user] of users.entries()) {
  describeTable(user, false, at === 0 ? everyAttack().filter((row) => !isQuick(row)) : everyAttack())
  describeTable(user, true)
}

/** reads.test.ts tries them as the current user. */
for (const user of users.slice(1)) describeReads(user)
