import { describe, expect, it } from 'vitest'
import { type User, users } from '../../../attacks/table.ts'
import { whyNot } from '../../../helpers/other-users.ts'
import { openTestShell } from '../../../helpers/place.ts'
import { runAs } from '../../../helpers/run-as.ts'
import { makeWorkspace, watched } from '../protected.ts'
import type { Row } from '../protected-rows.ts'

const [current, other] = users
const isRoot = process.getuid?.() === 0

async function attack(user: User, mode: 'workspace' | 'write', row: Row) {
  const cwd = makeWorkspace(user)
  const before = watched(cwd)
  const shell = await openTestShell({ cwd, mode })
  const { stderr } = await shell.execute({ argv: row.argv, timeoutMs: 30_000 })
  return { before, after: watched(cwd), stderr }
}

/** Each row changes nothing in workspace mode, and something in write mode. */
export function describeAttacks(title: string, rows: readonly Row[]): void {
  describe.runIf(process.platform === 'linux')(title, () => {
    it.for(rows)('$name', async (row, { skip }) => {
      if (!current) return
      const held = await attack(current, 'workspace', row)
      expect(held.after, held.stderr).toEqual(held.before)
      if (row.root && !isRoot) return skip('held; the control takes root')
      const open = await attack(current, 'write', row)
      if (row.lacking?.test(open.stderr)) return skip(`held; no control: ${open.stderr.slice(-80)}`)
      expect(open.after, open.stderr).not.toEqual(open.before)
    })

    it('nor by an ordinary user, all attempts one after the other', { timeout: 300_000 }, async ({
      skip,
    }) => {
      if (!other || whyNot(other)) return skip('no other user')
      const cwd = makeWorkspace(other)
      const before = watched(cwd)
      const commands = rows.map(({ argv }) => argv)
      const results = await runAs(other, { options: { mode: 'workspace', cwd }, commands, timeoutMs: 30_000 })
      expect(results).toHaveLength(rows.length)
      expect(watched(cwd)).toEqual(before)
    })
  })
}
