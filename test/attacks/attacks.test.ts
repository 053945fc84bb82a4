import { beforeAll, describe, expect, it } from 'vitest'
import type { Report } from './attack.ts'
import { attacks, everyAttack } from './attacks.ts'
import { isAsked } from './evaluate.ts'
import { tryTable, users } from './table.ts'

it('the table holds at least 120 attempts, each under a name of its own', () => {
  const names = everyAttack().map(({ name }) => name)
  expect(names.length).toBeGreaterThanOrEqual(120)
  expect(new Set(names).size).toBe(names.length)
  expect(Object.values(attacks).every((rows) => rows.length > 0)).toBe(true)
})

const circumstances = users.flatMap((user) => [false, true].map((network) => ({ user, network })))

for (const { user, network } of circumstances) {
  const title = `attacks as ${user.name}, network ${network ? 'on' : 'off'}`
  describe.runIf(process.platform === 'linux')(title, () => {
    let reports: ReadonlyMap<string, Report> | string

    beforeAll(async () => {
      reports = await tryTable(user, { mode: 'read', network, controls: !network })
    }, 600_000)

    for (const { name, attack } of everyAttack())
      if (isAsked(network, attack))
        it(name, (context) => {
          if (typeof reports === 'string') return context.skip(reports)
          const report = reports.get(name)
          if (report?.verdict === 'skipped') return context.skip(report.detail)
          return expect(report?.verdict, report?.detail ?? 'the runner reported nothing').toBe('held')
        })
  })
}
