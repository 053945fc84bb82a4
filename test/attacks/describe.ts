import { beforeAll, describe, expect, it } from 'vitest'
import type { Report } from './attack.ts'
import { everyAttack, type Row } from './attacks.ts'
import { isAsked } from './evaluate.ts'
import { tryTable, type User } from './table.ts'

/** A test for each row, tried in read mode as that user. */
export function describeTable(user: User, network: boolean, rows: readonly Row[] = everyAttack()): void {
  const title = `attacks as ${user.name}, network ${network ? 'on' : 'off'}`
  describe.runIf(process.platform === 'linux')(title, () => {
    let reports: ReadonlyMap<string, Report> | string

    beforeAll(async () => {
      const names = rows.map(({ name }) => name)
      reports = await tryTable(user, { mode: 'read', network, controls: !network, rows: names })
    }, 600_000)

    for (const { name, attack } of rows)
      if (isAsked(network, attack))
        it(name, (context) => {
          if (typeof reports === 'string') return context.skip(reports)
          const report = reports.get(name)
          if (report?.verdict === 'skipped') return context.skip(report.detail)
          return expect(report?.verdict, report?.detail ?? 'the runner reported nothing').toBe('held')
        })
  })
}
