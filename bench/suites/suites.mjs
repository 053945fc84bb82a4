// Test suites of other projects outside, in vitrine and in the sandboxes of others: how many tests pass, and how long they take. BENCH_SUITE: a part of the name of the only one.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openShell } from '../../dist/index.js'
import { isThere, measured, outcome } from '../../test/fixtures/suites/suites.mjs'
import { told } from '../lib/commands.mjs'
import {
  codexProgram,
  sandboxRuntimeProgram,
  withCodexHome,
  writeSandboxRuntimeSettings,
} from '../lib/peers.mjs'
import { ratioRows, skippedRow } from '../lib/rows.mjs'
import { interleave } from '../lib/stats.mjs'

/** @typedef {import('../../test/fixtures/suites/suites.mjs').Suite} Suite */
/** @typedef {() => Promise<string>} Run a run of the suite, with what it wrote */

const timeoutSeconds = 150
const outside = 'outside'
/** How long the suite may take in workspace mode. @type {Record<string, number>} */
const most = { 'express 4.18.2': 1.1 }

/** @param {{ quick: boolean }} options */
export function suites({ quick }) {
  return withCodexHome(async (codexHome) => {
    const rows = []
    for (const suite of measured.filter(({ name }) => name.includes(process.env.BENCH_SUITE ?? ''))) {
      if (isThere(suite)) rows.push(...(await measure(suite, codexHome, quick ? 1 : 7)))
      else rows.push(skippedRow(`suites: ${suite.name}`, outside, `needs ${suite.needs.package}`))
    }
    return rows
  })
}

/** @param {Suite} suite @param {string} codexHome @param {number} rounds */
async function measure(suite, codexHome, rounds) {
  const place = mkdtempSync(join(tmpdir(), 'vitrine-bench-'))
  const directory = join(place, 'work')
  const env = {
    ...process.env,
    D: directory,
    TMPDIR: join(directory, 'tmp'),
    XDG_STATE_HOME: join(place, 'state'),
    XDG_CONFIG_HOME: join(place, 'config'),
  }
  mkdirSync(env.TMPDIR, { recursive: true })
  execFileSync('sh', ['-ec', suite.prepare], { cwd: directory, env, stdio: ['ignore', 'ignore', 'inherit'] })
  const modes = /** @type {const} */ (['workspace', 'read'])
  const shells = await Promise.all(
    modes.map((mode) => openShell({ mode, cwd: directory, env, privateTmp: true })),
  )
  const [workspace, read] = shells
  try {
    const runs = {
      [outside]: unconfined(['sh', '-c'], suite, { cwd: directory, env }),
      'vitrine, workspace mode': confined(workspace, suite, directory),
      'vitrine, read mode with private tmp': confined(read, suite, directory),
      ...others(suite, { cwd: directory, env: { ...env, CODEX_HOME: codexHome } }),
    }
    return await compare(suite, runs, rounds)
  } finally {
    await Promise.all(shells.map((shell) => shell.close()))
    rmSync(place, { recursive: true, force: true })
  }
}

/** @param {Suite} suite @param {Record<string, Run>} runs @param {number} rounds */
async function compare(suite, runs, rounds) {
  /** @type {Record<string, number>} */
  const passed = {}
  const contenders = Object.entries(runs).map(([name, run]) => [
    name,
    async () => {
      const started = performance.now()
      const text = await run()
      const took = performance.now() - started
      passed[name] = Math.min(passed[name] ?? Number.POSITIVE_INFINITY, outcome(suite, text).passed.length)
      return took
    },
  ])
  const samples = await interleave(Object.fromEntries(contenders), { rounds, warmUp: 0, lead: 0 })
  const targets = { 'vitrine, workspace mode': most[suite.name] }
  const rows = ratioRows(
    `suites: ${suite.name}`,
    samples,
    targets['vitrine, workspace mode'] ? { targets } : {},
  )
  return rows.map((row) => ({ ...row, note: `${passed[row.name]} of ${passed[outside]} tests pass` }))
}

/** @param {string[]} prefix @param {Suite} suite @param {{ cwd: string, env: NodeJS.ProcessEnv }} options @returns {Run} */
function unconfined(prefix, suite, options) {
  // TMPDIR again: sandbox-runtime names one that is not there.
  const line = `export TMPDIR="$D/tmp"; ${suite.run}`
  // Node connects its children by sockets, to which programs cannot write in Codex's sandbox.
  const piped = ['-c', '"$@" 2>&1 | cat', 'sh', 'timeout', String(timeoutSeconds), ...prefix, line]
  return async () => (await told('sh', piped, options)).text
}

/** @param {import('../../dist/index.js').Shell} shell @param {Suite} suite @param {string} directory @returns {Run} */
function confined(shell, suite, directory) {
  return async () => {
    const texts = { stdout: '', stderr: '' }
    await shell.execute(
      { command: suite.run, env: { D: directory }, timeoutMs: timeoutSeconds * 1000 },
      {
        onOutput: (stream, chunk) => {
          texts[/** @type {keyof typeof texts} */ (stream)] += chunk
        },
      },
    )
    return texts.stdout + texts.stderr
  }
}

/** Both write to the directory only. @param {Suite} suite @param {{ cwd: string, env: NodeJS.ProcessEnv }} options */
function others(suite, options) {
  const [codex, runtime] = [codexProgram(), sandboxRuntimeProgram()]
  /** @type {Record<string, Run>} */
  const runs = {}
  if (codex) {
    const prefix = [codex, 'sandbox', '-c', 'sandbox_mode="workspace-write"', '--', 'sh', '-c']
    runs['codex sandbox'] = unconfined(prefix, suite, options)
  }
  if (runtime) {
    const settings = writeSandboxRuntimeSettings(join(options.cwd, 'srt.json'), [options.cwd])
    const prefix = [process.execPath, runtime, '--settings', settings, '-c']
    runs['sandbox-runtime'] = unconfined(prefix, suite, options)
  }
  return runs
}
