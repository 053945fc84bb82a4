// Workspace mode against write mode, each in a tree of its own on the same file system; starting against child_process.spawn.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openShell } from '../../dist/index.js'
import { plain, succeeded } from '../lib/commands.mjs'
import { ratioRows } from '../lib/rows.mjs'
import { interleave } from '../lib/stats.mjs'

/** @typedef {import('../../dist/index.js').Shell} Shell */
/** @typedef {{ shell: Shell, directory: string }} Side */
/** @typedef {{ write: Side, workspace: Side, place: string }} Sides */

/** @param {{ quick: boolean }} options */
export async function workspace({ quick }) {
  // Not in TMPDIR, which may be a tmpfs: git and npm work on disks. BENCH_DISK: a directory on another one.
  const place = mkdtempSync(join(process.env.BENCH_DISK ?? '/var/tmp', 'vitrine-bench-'))
  try {
    const [write, workspace] = await Promise.all([open('write', place), open('workspace', place)])
    const sides = { write, workspace, place }
    const rows = [
      ...(await starts(sides, quick)),
      ...(await files(sides, quick)),
      ...(await checkouts(sides, quick)),
      ...(await installs(sides, quick)),
      ...(await builds(sides, quick)),
    ]
    await Promise.all([write.shell.close(), workspace.shell.close()])
    return rows
  } finally {
    rmSync(place, { recursive: true, force: true })
  }
}

/** @param {'write' | 'workspace'} mode @param {string} place @returns {Promise<Side>} */
async function open(mode, place) {
  const directory = join(place, mode)
  mkdirSync(directory)
  run(directory, 'git init -q -b main; mkdir -p .vscode src existing; echo {} > .vscode/settings.json')
  run(directory, 'git config user.name bench; git config user.email bench@localhost; git config gc.auto 0')
  const env = {
    ...process.env,
    XDG_STATE_HOME: join(place, 'state', mode),
    XDG_CONFIG_HOME: join(place, 'config'),
  }
  return { directory, shell: await openShell({ mode, cwd: directory, env }) }
}

/** Without a sandbox. @param {string} cwd @param {string} script */
function run(cwd, script) {
  execFileSync('sh', ['-ec', script], { cwd, stdio: ['ignore', 'ignore', 'inherit'] })
}

/**
 * @param {string} name @param {Sides} sides @param {string} command
 * @param {{ rounds: number, most: number, before?: string }} options `before` runs unmeasured, without a sandbox
 */
async function compare(name, { write, workspace }, command, { rounds, most, before = '' }) {
  const contender = (/** @type {Side} */ side) => async () => {
    if (before) run(side.directory, before)
    const started = performance.now()
    succeeded(await side.shell.execute({ command, timeoutMs: 600_000 }))
    return performance.now() - started
  }
  const contenders = { 'write mode': contender(write), 'workspace mode': contender(workspace) }
  const samples = await interleave(contenders, { rounds, lead: 0 })
  return ratioRows(name, samples, { targets: { 'workspace mode': most } })
}

/** @param {Sides} sides @param {boolean} quick */
async function starts({ workspace }, quick) {
  const rounds = quick ? 60 : 400
  const samples = await interleave(
    {
      'child_process.spawn': async () => void (await plain('sh', ['-c', ':'], { cwd: workspace.directory })),
      'workspace mode': async () => void succeeded(await workspace.shell.execute({ command: ':' })),
    },
    { rounds, warmUp: rounds / 10 },
  )
  return ratioRows('workspace: start', samples, { targets: { 'workspace mode': 0.8 } })
}

/** @param {Sides} sides @param {boolean} quick */
async function files(sides, quick) {
  const program = join(sides.place, 'files')
  execFileSync('cc', ['-O2', '-o', program, fileURLToPath(new URL('../lib/files.c', import.meta.url))])
  const what = 'workspace: 10,000 files created, renamed, chmodded, removed'
  const rounds = quick ? 3 : 11
  return [
    ...(await compare(`${what}, in an existing directory`, sides, `${program} existing 10000`, {
      rounds,
      most: 2,
    })),
    ...(await compare(`${what}, in a new one`, sides, `mkdir new && ${program} new 10000 && rmdir new`, {
      rounds,
      most: 2.8,
    })),
  ]
}

/** @param {Sides} sides @param {boolean} quick */
async function checkouts(sides, quick) {
  const make = (/** @type {string} */ text) =>
    `for d in $(seq 50); do mkdir -p src/d$d; for f in $(seq 100); do echo ${text} $d $f > src/d$d/f$f; done; done; git add -A; git commit -qm ${text}`
  for (const { directory } of [sides.write, sides.workspace]) {
    run(directory, `${make('one')}; git checkout -qb two; ${make('two')}; git checkout -q main`)
  }
  return compare('workspace: git checkout of 5,000 files', sides, 'git checkout -q two', {
    before: 'git checkout -q main',
    rounds: quick ? 3 : 11,
    most: 1.4,
  })
}

/** @param {Sides} sides @param {boolean} quick */
async function installs(sides, quick) {
  const names = Array.from({ length: 200 }, (_, at) => `package-${at}`)
  const tarballs = join(sides.place, 'tarballs')
  for (const name of names) makeTarball(tarballs, name)
  const dependencies = Object.fromEntries(names.map((name) => [name, `file:${tarballs}/${name}.tgz`]))
  const manifest = JSON.stringify({ name: 'app', version: '1.0.0', private: true, dependencies })
  const npm = 'npm --offline --no-audit --no-fund --no-update-notifier --cache .npm-cache'
  for (const { directory } of [sides.write, sides.workspace]) {
    writeFileSync(join(directory, 'package.json'), manifest)
    run(directory, `${npm} install --package-lock-only`)
  }
  return compare('workspace: npm ci of 200 packages from tarballs', sides, `${npm} ci`, {
    before: 'rm -rf node_modules .npm-cache',
    rounds: quick ? 2 : 7,
    most: 1.25,
  })
}

/** @param {string} tarballs @param {string} name */
function makeTarball(tarballs, name) {
  const directory = join(tarballs, 'package')
  mkdirSync(join(directory, 'lib'), { recursive: true })
  writeFileSync(join(directory, 'package.json'), JSON.stringify({ name, version: '1.0.0', main: 'index.js' }))
  for (const file of ['index.js', 'README.md', 'lib/a.js', 'lib/b.js', 'lib/c.js'])
    writeFileSync(join(directory, file), `// ${name} ${file}\n`.repeat(50))
  execFileSync('tar', ['czf', `${name}.tgz`, 'package'], { cwd: tarballs })
}

/** @param {Sides} sides @param {boolean} quick */
async function builds(sides, quick) {
  const sources = Array.from({ length: 6 }, (_, at) => `src/unit${at}.c`)
  for (const { directory } of [sides.write, sides.workspace])
    for (const source of sources) writeFileSync(join(directory, source), cSource(200))
  const objects = sources.map((source) => source.replace('.c', '.o')).join(' ')
  writeFileSync(join(sides.place, 'Makefile'), `all: ${objects}\n`)
  return compare(
    'workspace: a build that computes',
    sides,
    `make -sB CFLAGS=-O2 -f ${sides.place}/Makefile`,
    {
      rounds: quick ? 3 : 11,
      most: 1.05,
    },
  )
}

/** Functions that keep an optimizer busy. @param {number} functions */
function cSource(functions) {
  const body = (/** @type {number} */ at) =>
    `int f${at}(int *a, int n) { int s = ${at}; for (int i = 0; i < n; i++) { switch (a[i] & 7) { case 0: s += a[i] * ${at}; break; case 1: s ^= i << 3; break; case 2: s -= a[n - i - 1]; break; default: s = s * 31 + (a[i] >> 2); } } return s; }`
  return `${Array.from({ length: functions }, (_, at) => body(at)).join('\n')}\n`
}
