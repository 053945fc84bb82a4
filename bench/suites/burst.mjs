// Many commands at once: from the first call to the last result.
import { plain, succeeded } from '../lib/commands.mjs'
import { ratioRows } from '../lib/rows.mjs'
import { withShells } from '../lib/shells.mjs'
import { interleave } from '../lib/stats.mjs'

const counts = [200, 1000]

/** @param {{ quick: boolean }} options */
export function burst({ quick }) {
  return withShells(async (shells) => {
    const rows = []
    for (const count of counts) rows.push(...(await measure(shells, count, quick ? 4 : 4000 / count)))
    return rows
  })
}

/** @param {Record<'read' | 'write', import('../../dist/index.js').Shell>} shells @param {number} count @param {number} rounds */
async function measure({ read, write }, count, rounds) {
  const atOnce = (/** @type {() => Promise<unknown>} */ run) => async () => {
    await Promise.all(Array.from({ length: count }, run))
  }
  const samples = await interleave(
    {
      'child_process.spawn': atOnce(() => plain('sh', ['-c', ':'])),
      'vitrine, read mode': atOnce(() => read.execute({ command: ':' }).then(succeeded)),
      'vitrine, write mode': atOnce(() => write.execute({ command: ':' }).then(succeeded)),
    },
    { rounds, warmUp: 1, lead: 0 },
  )
  const targets = { 'vitrine, read mode': 0.45, 'vitrine, write mode': 0.45 }
  return ratioRows(`${count} commands at once`, samples, { targets })
}
