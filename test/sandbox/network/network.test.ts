import { users } from '../../attacks/table.ts'
import { describeClients } from './describe.ts'

/** network.deep.test.ts tries them as another user. */
for (const user of users.slice(0, 1)) describeClients(user)
