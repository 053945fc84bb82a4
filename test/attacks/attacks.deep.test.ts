import { describeTable } from './describe.ts'
import { users } from './table.ts'

/** attacks.test.ts tries the table as the current user without the network. */
for (const [at, user] of users.entries()) {
  if (at > 0) describeTable(user, false)
  describeTable(user, true)
}
