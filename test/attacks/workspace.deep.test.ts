import { everyAttack } from './attacks.ts'
import { describeRows } from './describe.ts'
import { tryTable, users } from './table.ts'

const rows = everyAttack().map(({ name }) => name)

/** The controls are read mode's: attacks.test.ts and attacks.deep.test.ts show that each attempt succeeds outside the sandbox. */
for (const user of users)
  describeRows(
    `read mode's attacks, aimed outside of the workspace, as ${user.name} in workspace mode`,
    rows,
    () => tryTable(user, { mode: 'workspace', network: false, controls: false, rows }),
  )
