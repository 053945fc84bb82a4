import { beforeAll, describe, expect, it } from 'vitest'
import type { Report } from './attack.ts'
import { readAttacks } from './reads/table.ts'
import { tryReads, users } from './table.ts'

it('the table holds at least 30 attempts, each under a name of its own', () => {
  expect(readAttacks.length).toBeGreaterThanOrEqual(30)
  expect(new Set(readAttacks.map(({ name }) => name)).size).toBe(readAttacks.length)
})

for (const user of users)
  describe.runIf(process.platform === 'linux')(`reading what is kept, as ${user.name}`, () => {
    let reports: ReadonlyMap<string, Report> | string

    beforeAll(async () => {
      reports = await tryReads(user)
    }, 300_000)

    for (const { name } of readAttacks)
      it(name, (context) => {
        if (typeof reports === 'string') return context.skip(reports)
        const report = reports.get(name)
        if (report?.verdict === 'skipped') return context.skip(report.detail)
        return expect(report?.verdict, report?.detail ?? 'the runner reported nothing').toBe('held')
      })
  })
