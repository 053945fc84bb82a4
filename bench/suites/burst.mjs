// Many commands at once, from the first call to the last result; and many in a row.
import { readdirSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { plain, succeeded } from '../lib/commands.mjs'
import { residentMb } from '../lib/memory.mjs'
import { ratioRows, valueRow } from '../lib/rows.mjs'
import { withShells } from '../lib/shells.mjs'
import { interleave } from '../lib/stats.mjs'

const counts = [200, 1000]
/** So many have a reach. */
const many = 1000

/** @param {{ quick: boolean }} options */
export function burst({ quick }) {
  return withShells(async (shells) => {
    const rows = []
    for (const count of counts) rows.push(...(await measure(shells, count, quick ? 4 : 4000 / count)))
    for (const mode of /** @type {const} */ (['read', 'write']))
      rows.push(...(await inARow(mode, shells[mode], quick ? 2000 : 10_000)))
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
  const targets = count === many ? { 'vitrine, read mode': 0.45, 'vitrine, write mode': 0.45 } : {}
  return ratioRows(`${count} commands at once`, samples, { targets })
}

/** The last tenth against the first, and what stays. @param {'read' | 'write'} mode @param {import('../../dist/index.js').Shell} shell @param {number} count */
async function inARow(mode, shell, count) {
  const suite = `${count} commands in a row, ${mode} mode`
  const tenth = async () => {
    const samples = []
    for (let at = 0; at < count / 10; at++) samples.push(await timed(shell))
    return samples
  }
  await tenth() // what the heap and the caches take at first
  const before = { memory: residentMb(), open: descriptors() }
  const tenths = []
  for (let at = 0; at < 10; at++) tenths.push(await tenth())
  // Those of the last command are closed after its result.
  for (let tries = 0; tries < 100 && descriptors() > before.open; tries++) await setTimeout(10)
  if (descriptors() > before.open) throw new Error(`${suite}: descriptors were left open`)
  const [first = [], last = []] = [tenths.at(0), tenths.at(-1)]
  return [
    ...ratioRows(
      suite,
      { 'the first tenth': first, 'the last tenth': last },
      { targets: { 'the last tenth': 1.1 } },
    ),
    valueRow(suite, 'resident memory gained', [residentMb() - before.memory], 'MB', { most: 32 }),
  ]
}

/** @param {import('../../dist/index.js').Shell} shell @returns {Promise<number>} milliseconds */
async function timed(shell) {
  const started = performance.now()
  succeeded(await shell.execute({ command: ':' }))
  return performance.now() - started
}

function descriptors() {
  return readdirSync('/proc/self/fd').length
}
