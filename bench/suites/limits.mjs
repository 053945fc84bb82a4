// What limits cost a command that stays below them.
import { succeeded } from '../lib/commands.mjs'
import { ratioRows } from '../lib/rows.mjs'
import { withShells } from '../lib/shells.mjs'
import { interleave } from '../lib/stats.mjs'

const limits = {
  VITRINE_LIMITS_MEMORY_BYTES: '1000000000',
  VITRINE_LIMITS_CPU_SECONDS: '60',
  VITRINE_LIMITS_PROCESSES: '200',
  VITRINE_LIMITS_OPEN_FILES: '256',
}

/** @param {{ quick: boolean }} options */
export function limited({ quick }) {
  return withShells((free) =>
    withShells(async (held) => {
      const run = (/** @type {import('../../dist/index.js').Shell} */ shell) => async () => {
        const started = performance.now()
        succeeded(await shell.execute({ command: ':' }))
        return performance.now() - started
      }
      const options = { rounds: quick ? 60 : 400, warmUp: quick ? 6 : 40 }
      const samples = await interleave(
        {
          'read mode, no limits': run(free.read),
          'read mode, four limits': run(held.read),
          'write mode, no limits': run(free.write),
          'write mode, four limits': run(held.write),
        },
        options,
      )
      return ratioRows('start, limits', samples)
    }, limits),
  )
}
