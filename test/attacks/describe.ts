import { beforeAll, describe, expect, it } from 'vitest'
import type { Report } from './attack.ts'
import { everyAttack, type Row } from './attacks.ts'
import { readAttacks } from './reads/table.ts'
import { tryReads, tryTable, type User } from './table.ts'

/** What was reported of each row, or why no row can be tried. */
type Reports = ReadonlyMap<string, Report> | string

/** A test for each name: its row held. */
export function describeRows(title: string, names: readonly string[], tryRows: () => Promise<Reports>): void {
  describe.runIf(process.platform === 'linux')(title, () => {
    let reports: Reports

    beforeAll(async () => {
      reports = await tryRows()
    }, 600_000)

    for (const name of names)
      it(name, (context) => {
        if (typeof reports === 'string') return context.skip(reports)
        const report = reports.get(name)
        if (report?.verdict === 'skipped') return context.skip(report.detail)
        return expect(report?.verdict, report?.detail ?? 'the runner reported nothing').toBe('held')
      })
  })
}

/** The rows, tried in read mode as that user. */
export function describeTable(user: User, network: boolean, rows: readonly Row[] = everyAttack()): void {
  const title = `attacks as ${user.name}, network ${network ? 'on' : 'off'}`
  const names = rows.map(({ name }) => name)
  describeRows(title, names, () => tryTable(user, { mode: 'read', network, controls: !network, rows: names }))
}

/** What is kept from reading, tried as that user. */
export function describeReads(user: User): void {
  const names = readAttacks.map(({ name }) => name)
  describeRows(`reading what is kept, as ${user.name}`, names, () => tryReads(user))
}
