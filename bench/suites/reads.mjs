// Starting a command that cannot read everything, against one that can: in a workspace of 200 directories.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadConfig, openShell } from '../../dist/index.js'
import { succeeded } from '../lib/commands.mjs'
import { ratioRows } from '../lib/rows.mjs'
import { interleave } from '../lib/stats.mjs'
import { makeTree } from '../lib/tree.mjs'

const secrets = { 'shell.unreadable': ['secrets'] }
const workspace = { 'shell.reads': 'workspace' }
const privateTmp = { 'shell.private_tmp': true }

/** @param {{ quick: boolean }} options */
export async function reads({ quick }) {
  // Where nothing else comes and goes: what is new beside something kept makes the rules anew.
  const directory = mkdtempSync('/var/tmp/vitrine-bench-')
  const options = { rounds: quick ? 60 : 400, warmUp: quick ? 6 : 40 }
  try {
    fill(directory)
    return [
      ...(await measure(
        'start, not everything readable',
        directory,
        {
          'everything readable': {},
          'unreadable = "secrets"': secrets,
          'reads = "workspace"': workspace,
          both: { ...secrets, ...workspace },
        },
        options,
      )),
      ...(await measure(
        'start, not everything readable, private TMPDIR',
        directory,
        {
          'everything readable': privateTmp,
          'unreadable = "secrets"': { ...privateTmp, ...secrets },
          both: { ...privateTmp, ...secrets, ...workspace },
        },
        options,
      )),
    ]
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/** @param {string} directory */
function fill(directory) {
  makeTree(directory, { directories: 200, files: 5, git: true })
  for (const place of ['.', 'package-1', 'package-7/module-7']) {
    mkdirSync(join(directory, place), { recursive: true })
    writeFileSync(join(directory, place, '.env'), 'KEY=value\n')
  }
}

/**
 * @param {string} suite @param {string} directory @param {Record<string, Record<string, unknown>>} settings by contender
 * @param {{ rounds: number, warmUp: number }} options
 */
async function measure(suite, directory, settings, options) {
  const names = Object.keys(settings)
  const shells = await Promise.all(names.map((name) => open(directory, settings[name] ?? {})))
  const run = (/** @type {import('../../dist/index.js').Shell | undefined} */ shell) => async () => {
    succeeded(await /** @type {import('../../dist/index.js').Shell} */ (shell).execute({ command: ':' }))
  }
  const samples = await interleave(
    Object.fromEntries(names.map((name, at) => [name, run(shells[at])])),
    options,
  )
  for (const shell of shells) await shell.close()
  return ratioRows(suite, samples, {
    targets: { 'unreadable = "secrets"': 1.25, 'reads = "workspace"': 1.25 },
  })
}

/** @param {string} directory @param {Record<string, unknown>} settings */
async function open(directory, settings) {
  const env = { ...process.env, XDG_STATE_HOME: join(directory, '.state') }
  const flags = Object.fromEntries(
    Object.entries(settings).map(([key, value]) => [key, { value, from: 'bench' }]),
  )
  const config = await loadConfig({ cwd: directory, env, flags, configFile: '/dev/null' })
  return openShell({ mode: 'read', cwd: directory, env, config })
}
