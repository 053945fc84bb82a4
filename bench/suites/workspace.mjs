// Workspace mode against write mode in two equal trees on one file system; starting against child_process.spawn.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openShell } from '../../dist/index.js'
import { plain, succeeded } from '../lib/commands.mjs'
import { ratioRows } from '../lib/rows.mjs'
import { interleave } from '../lib/stats.mjs'

/** @typedef {import('../../dist/index.js').Shell} Shell */
/** @typedef {{ directory: string, write: Shell, workspace: Shell }} Tree */
/** @typedef {{ trees: [Tree, Tree], place: string }} Trees */

/** @param {{ quick: boolean }} options */
export async function workspace({ quick }) {
  // Not in TMPDIR, which may be a tmpfs: git and npm work on disks. BENCH_DISK: a directory on another one.
  const place = mkdtempSync(join(process.env.BENCH_DISK ?? '/var/tmp', 'vitrine-bench-'))
  try {
    const trees = { trees: await Promise.all([open('a', place), open('b', place)]), place }
    const rows = [
      ...(await starts(trees, quick)),
      ...(await files(trees, quick)),
      ...(await checkouts(trees, quick)),
      ...(await installs(trees, quick)),
      ...(await builds(trees, quick)),
    ]
    await Promise.all(trees.trees.flatMap(({ write, workspace }) => [write.close(), workspace.close()]))
    return rows
  } finally {
    rmSync(place, { recursive: true, force: true })
  }
}

/** @param {string} name @param {string} place @returns {Promise<Tree>} */
async function open(name, place) {
  const directory = join(place, name)
  mkdirSync(directory)
  run(directory, 'git init -q -b main; mkdir -p .vscode src existing; echo {} > .vscode/settings.json')
  run(directory, 'git config user.name bench; git config user.email bench@localhost; git config gc.auto 0')
  const env = {
    ...process.env,
    XDG_STATE_HOME: join(place, 'state', name),
    XDG_CONFIG_HOME: join(place, 'config'),
  }
  const write = await openShell({ mode: 'write', cwd: directory, env })
  return { directory, write, workspace: await openShell({ mode: 'workspace', cwd: directory, env }) }
}

/** Without a sandbox. @param {string} cwd @param {string} script */
function run(cwd, script) {
  execFileSync('sh', ['-ec', script], { cwd, stdio: ['ignore', 'ignore', 'inherit'] })
}

/**
 * Each mode runs in either tree in turn: where a disk puts a tree can make it several times slower than its twin.
 * @param {string} name @param {Trees} trees @param {string} command
 * @param {{ rounds: number, most?: number, before?: string }} options `before` runs unmeasured, without a sandbox
 */
async function compare(name, { trees }, command, { rounds, most, before = '' }) {
  const contender = (/** @type {'write' | 'workspace'} */ mode) => {
    let turn = 0
    return async () => {
      const tree = trees[turn++ % 2 === 0 ? 0 : 1]
      if (before) run(tree.directory, before)
      const started = performance.now()
      succeeded(await tree[mode].execute({ command, timeoutMs: 600_000 }))
      return performance.now() - started
    }
  }
  const contenders = { 'write mode': contender('write'), 'workspace mode': contender('workspace') }
  const samples = await interleave(contenders, { rounds, lead: 0 })
  return ratioRows(name, samples, most ? { targets: { 'workspace mode': most } } : {})
}

/** @param {Trees} trees @param {boolean} quick */
async function starts({ trees: [tree] }, quick) {
  const rounds = quick ? 60 : 400
  const samples = await interleave(
    {
      'child_process.spawn': async () => void (await plain('sh', ['-c', ':'], { cwd: tree.directory })),
      'workspace mode': async () => void succeeded(await tree.workspace.execute({ command: ':' })),
    },
    { rounds, warmUp: rounds / 10 },
  )
  return ratioRows('workspace: start', samples, { targets: { 'workspace mode': 0.8 } })
}

/** @param {Trees} trees @param {boolean} quick */
async function files(trees, quick) {
  const program = join(trees.place, 'files')
  execFileSync('cc', ['-O2', '-o', program, fileURLToPath(new URL('../lib/files.c', import.meta.url))])
  const what = 'workspace: 10,000 files created, renamed, chmodded, removed'
  const rounds = quick ? 4 : 12
  return [
    ...(await compare(`${what}, in an existing directory`, trees, `${program} existing 10000`, {
      rounds,
      most: 2,
    })),
    ...(await compare(`${what}, in a new one`, trees, `mkdir new && ${program} new 10000 && rmdir new`, {
      rounds,
      most: 2.8,
    })),
  ]
}

/** @param {Trees} trees @param {boolean} quick */
async function checkouts(trees, quick) {
  const make = (/** @type {string} */ text) =>
    `for d in $(seq 50); do mkdir -p src/d$d; for f in $(seq 100); do echo ${text} $d $f > src/d$d/f$f; done; done; git add -A; git commit -qm ${text}`
  for (const { directory } of trees.trees) {
    run(directory, `${make('one')}; git checkout -qb two; ${make('two')}; git checkout -q main`)
  }
  return compare('workspace: git checkout of 5,000 files', trees, 'git checkout -q two', {
    before: 'git checkout -q main',
    rounds: quick ? 4 : 12,
    most: 1.4,
  })
}

/** @param {Trees} trees @param {boolean} quick */
async function installs(trees, quick) {
  const names = Array.from({ length: 200 }, (_, at) => `package-${at}`)
  const tarballs = join(trees.place, 'tarballs')
  for (const name of names) makeTarball(tarballs, name)
  const dependencies = Object.fromEntries(names.map((name) => [name, `file:${tarballs}/${name}.tgz`]))
  const manifest = JSON.stringify({ name: 'app', version: '1.0.0', private: true, dependencies })
  const npm = 'npm --offline --no-audit --no-fund --no-update-notifier --cache .npm-cache'
  for (const { directory } of trees.trees) {
    writeFileSync(join(directory, 'package.json'), manifest)
    run(directory, `${npm} install --package-lock-only`)
  }
  const what = 'workspace: npm ci of 200 packages from tarballs'
  const rounds = quick ? 2 : 8
  const away = `old=$(mktemp -d '${trees.place}/old-XXXXXX'); mv node_modules .npm-cache "$old"`
  return [
    ...(await compare(what, trees, `${npm} ci`, {
      before: `test ! -e node_modules || { ${away}; }`,
      rounds,
      most: 1.15,
    })),
    // ext4 looks at every inode that was deleted in the last minutes for each new one (fs/ext4/ialloc.c, recently_deleted): npm's
    // threads do that side by side, the notifier's one thread does not.
    ...(await compare(`${what}, after removing the last`, trees, `${npm} ci`, {
      before: 'rm -rf node_modules .npm-cache',
      rounds,
    })),
  ]
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

/** @param {Trees} trees @param {boolean} quick */
async function builds(trees, quick) {
  const sources = Array.from({ length: 6 }, (_, at) => `src/unit${at}.c`)
  for (const { directory } of trees.trees)
    for (const source of sources) writeFileSync(join(directory, source), cSource(200))
  const objects = sources.map((source) => source.replace('.c', '.o')).join(' ')
  writeFileSync(join(trees.place, 'Makefile'), `all: ${objects}\n`)
  return compare(
    'workspace: a build that computes',
    trees,
    `make -sB CFLAGS=-O2 -f ${trees.place}/Makefile`,
    {
      rounds: quick ? 4 : 12,
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
