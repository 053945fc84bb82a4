// What denial reports cost a command: the same commands with a listener, and without.
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { succeeded } from '../lib/commands.mjs'
import { ratioRows, valueRow } from '../lib/rows.mjs'
import { withShells } from '../lib/shells.mjs'
import { interleave } from '../lib/stats.mjs'

const lines = {
  'no such call': ':',
  'two opens of /dev/null': 'true >/dev/null 2>&1',
}

/** @param {{ quick: boolean }} options */
export async function reports({ quick }) {
  const rows = []
  for (const [name, line] of Object.entries(lines))
    rows.push(...(await measure(name, line, quick ? 60 : 500)))
  return [...rows, await refusedCall(quick ? 5 : 40)]
}

/** What one refused call takes, its report included: each run gives the mean of 2000. @param {number} runs */
function refusedCall(runs) {
  return withShells(async ({ read, directory }) => {
    const file = join(directory, 'refused')
    const program = join(directory, 'refuse')
    writeFileSync(file, '')
    execFileSync('cc', ['-O2', '-o', program, fileURLToPath(new URL('../lib/refused.c', import.meta.url))])
    const samples = []
    for (let run = 0; run < runs; run++) {
      const { stdout } = await read.execute({ argv: [program, file, '2000'] }).then(succeeded)
      samples.push(Number(stdout) / 1e6)
    }
    const row = valueRow('denial reports: a refused call', 'open for writing, refused and reported', samples)
    return { ...row, target: { most: 0.006, of: 'median', met: row.value.median <= 0.006 } }
  })
}

/** @param {string} name @param {string} line @param {number} rounds */
function measure(name, line, rounds) {
  return withShells(async ({ read }) => {
    const told = switchReports()
    const run = (/** @type {boolean} */ on) => async () => {
      told.on = on
      await read.execute({ command: line }).then(succeeded)
    }
    const contenders = { 'without reports': run(false), 'with reports': run(true) }
    const samples = await interleave(contenders, { rounds, warmUp: Math.ceil(rounds / 10) })
    told.on = true
    return ratioRows(`denial reports: ${name}`, samples, { targets: { 'with reports': 1.05 } })
  })
}

/** The library's own addon, whose spawn() leaves the listener out as long as `on` is false. */
function switchReports() {
  const require = createRequire(new URL('../../dist/index.js', import.meta.url))
  const addon = require(fileURLToPath(new URL('../../build/Release/vitrine.node', import.meta.url)))
  const { spawn } = addon
  const told = { on: true }
  addon.spawn = (/** @type {any} */ record, /** @type {unknown} */ handler) => {
    const { confinement } = record
    const deaf = confinement && !told.on ? { ...confinement, listener: false } : confinement
    return spawn({ ...record, confinement: deaf }, handler)
  }
  return told
}
