// Exploring commands in read mode against the same in write mode, which has no sandbox.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { findProgram, succeeded } from '../lib/commands.mjs'
import { ratioRows, skippedRow } from '../lib/rows.mjs'
import { withShells } from '../lib/shells.mjs'
import { interleave, noise, summary } from '../lib/stats.mjs'
import { makeTree } from '../lib/tree.mjs'

const suite = 'exploring 20,000 files, read mode against write mode'

/** Commands that write little, so that it is the reading which is measured. */
const commands = [
  { name: 'find -size', program: 'find', line: 'find . -type f -size +8k | wc -l', most: 1.03 },
  { name: 'grep -rn', program: 'grep', line: 'grep -rn "the needle" .', most: 1.05 },
  { name: 'rg -n', program: 'rg', line: 'rg -n "the needle" .', most: 1.03 },
  { name: 'git status', program: 'git', line: 'git status --short', most: 1.03 },
]

/** @param {{ quick: boolean }} options */
export function explore({ quick }) {
  return withShells(async ({ read, write, directory }) => {
    const cwd = join(directory, 'tree')
    mkdirSync(cwd)
    makeTree(cwd, { directories: 400, files: 50, git: findProgram('git') !== undefined })
    const rows = []
    for (const { name, program, line, most } of commands)
      rows.push(
        findProgram(program)
          ? await compare(name, most, { line, cwd, read, write, rounds: quick ? 5 : 25 })
          : skippedRow(suite, name, `no ${program} on this machine`),
      )
    return rows
  })
}

/**
 * @param {string} name @param {number} most
 * @param {{ line: string, cwd: string, rounds: number, read: import('../../dist/index.js').Shell, write: import('../../dist/index.js').Shell }} options
 */
async function compare(name, most, { line, cwd, rounds, read, write }) {
  const run = async (/** @type {import('../../dist/index.js').Shell} */ shell) =>
    succeeded(await shell.execute({ command: line, cwd })).output
  const seen = [await run(write), await run(read)].map((text) => text.split('\n').sort().join('\n'))
  if (seen[0] !== seen[1]) throw new Error(`${name} shows something else in read mode`)
  const samples = await interleave(
    { 'write mode': () => run(write).then(() => {}), [name]: () => run(read).then(() => {}) },
    { rounds, warmUp: 1, lead: 0 },
  )
  const [row] = ratioRows(suite, samples, { targets: { [name]: most }, quiet: true })
  const base = samples['write mode'] ?? []
  return { ...row, note: `write mode ${summary(base).median.toFixed(0)} ms`, noise: noise(base) }
}
