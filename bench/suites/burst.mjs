// Many commands at once: from the first call to the last result.
import { plain, succeeded } from '../lib/commands.mjs'
import { ratioRows } from '../lib/rows.mjs'
import { withShells } from '../lib/shells.mjs'
import { interleave } from '../lib/stats.mjs'

const count = 200

/** @param {{ quick: boolean }} options */
export function burst({ quick }) {
  return withShells(async ({ read, write }) => {
    const samples = await interleave(
      {
        'child_process.spawn': () => atOnce(() => plain('sh', ['-c', ':'])),
        'vitrine, read mode': () => atOnce(() => read.execute({ command: ':' }).then(succeeded)),
        'vitrine, write mode': () => atOnce(() => write.execute({ command: ':' }).then(succeeded)),
      },
      { rounds: quick ? 4 : 20, warmUp: 1, lead: 0 },
    )
    return ratioRows(`${count} commands at once`, samples)
  })
}

/** @param {() => Promise<unknown>} run */
async function atOnce(run) {
  await Promise.all(Array.from({ length: count }, run))
}
