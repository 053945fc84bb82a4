// npm run bench: one table of what vitrine costs against running the same command without it.
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { describeHost, load } from './lib/host.mjs'
import { markdown } from './lib/report.mjs'
import { plots, table } from './lib/table.mjs'

const names = [
  'start',
  'held',
  'calls',
  'reads',
  'workspace',
  'peers',
  'explore',
  'output',
  'network',
  'burst',
  'reports',
  'limited',
  'deadline',
  'cli',
  'mcp',
  'suites',
]
const usage = `npm run bench -- [--quick] [--only NAME[,NAME...]] [--doc]
  --quick  few rounds: a look, not a measurement
  --only   ${names.join(', ')}
  --doc    writes docs/bench.md, too`

/** Each suite gets a process of its own: none inherits the memory of another. @param {string} name @param {boolean} quick */
async function runSuite(name, quick) {
  const args = [fileURLToPath(new URL('suite.mjs', import.meta.url)), name, ...(quick ? ['--quick'] : [])]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = new Promise((resolve, reject) => child.once('close', resolve).once('error', reject))
  const printed = await text(child.stdout)
  const code = await ended
  if (code !== 0) throw new Error(`the suite ${name} failed (exit ${code})`)
  return JSON.parse(printed)
}

/** @param {string[]} chosen @param {boolean} quick */
async function runAll(chosen, quick) {
  const before = load()
  const rows = []
  for (const name of chosen) {
    process.stderr.write(`bench: ${name}\n`)
    rows.push(...(await runSuite(name, quick)))
  }
  return { host: describeHost(), load: { before, after: load() }, quick, rows }
}

/** @param {import('./lib/report.mjs').Report} report @param {boolean} doc */
function write(report, doc) {
  const results = new URL('results/', import.meta.url)
  mkdirSync(results, { recursive: true })
  writeFileSync(new URL('latest.json', results), `${JSON.stringify(report, null, 2)}\n`)
  writeFileSync(new URL('latest.md', results), markdown(report))
  if (doc) writeFileSync(new URL('../docs/bench.md', import.meta.url), markdown(report))
}

/** @param {import('./lib/report.mjs').Report} report */
function print(report) {
  const { host, rows } = report
  const missed = rows.filter(({ target }) => target && !target.met)
  console.log(`${Object.values(host).join(', ')}; load ${report.load.before} to ${report.load.after}\n`)
  console.log(table(rows))
  console.log(`\n${plots(rows)}\n`)
  console.log(
    missed.length === 0
      ? 'Every reach was met.'
      : `Missed: ${missed.map(({ suite, name }) => `${suite}: ${name}`).join('; ')}`,
  )
}

async function main() {
  const options = /** @type {const} */ ({
    quick: { type: 'boolean', default: false },
    only: { type: 'string', default: names.join(',') },
    doc: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  })
  const { values } = parseArgs({ options })
  const chosen = values.only.split(',')
  const unknown = chosen.find((name) => !names.includes(name))
  if (unknown !== undefined) throw new Error(`no suite ${unknown}; there are ${names.join(', ')}`)
  if (values.help) return console.log(usage)
  if (process.platform !== 'linux' || !existsSync(new URL('../dist/index.js', import.meta.url)))
    throw new Error('needs Linux and what npm run build makes')
  const report = await runAll(chosen, values.quick)
  write(report, values.doc)
  print(report)
}

main().catch((/** @type {Error} */ error) => {
  console.error(`bench: ${error.message}`)
  process.exitCode = 1
})
