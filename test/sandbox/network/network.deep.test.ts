import { users } from '../../attacks/table.ts'
import { describeClients } from './describe.ts'

for (const user of users.slice(-1)) describeClients(user)
