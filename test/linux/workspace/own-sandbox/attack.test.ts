import { users } from '../../../attacks/table.ts'
import { describeOwnSandboxes } from './attack.ts'

describeOwnSandboxes(users.at(-1) as (typeof users)[number])
