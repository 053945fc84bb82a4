import { beforeAll, describe, expect, it } from 'vitest'
import type { Report } from './attack.ts'
import { everyAttack } from './attacks.ts'
import { tryTable, users } from './table.ts'

const names = everyAttack().map(({ name }) => name)

/** The controls are read mode's: attacks.test.ts and attacks.deep.test.ts show that each attempt succeeds outside the sandbox. */
for (const user of users)
  describe.runIf(process.platform === 'linux')(
    `read mode's attacks, aimed outside of the workspace, as ${user.name} in workspace mode`,
    () => {
      let reports: ReadonlyMap<string, Report> | string

      beforeAll(async () => {
        reports = await tryTable(user, { mode: 'workspace', network: false, controls: false, rows: names })
      }, 600_000)

      for (const name of names)
        it(name, (context) => {
          if (typeof reports === 'string') return context.skip(reports)
          const report = reports.get(name)
          if (report?.verdict === 'skipped') return context.skip(report.detail)
          return expect(report?.verdict, report?.detail ?? 'the runner reported nothing').toBe('held')
        })
    },
  )
