import { users } from '../../../attacks/table.ts'
import { describeOwnSandboxes } from './attack.ts'

for (const user of users.slice(0, -1)) describeOwnSandboxes(user)
