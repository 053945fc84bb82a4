// Bundles src/ into dist/, unless dist/ is newer than everything it is made of.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { newest, oldest, root } from './freshness.mjs'

const dist = join(root, 'dist')
const fresh = join(root, 'build', `dist-${process.pid}`)
const old = `${fresh}-old`

function bundle() {
  mkdirSync(join(root, 'build'), { recursive: true })
  const tsdown = spawnSync(
    process.execPath,
    ['node_modules/tsdown/dist/run.mjs', '--log-level', 'error', '--out-dir', fresh],
    { cwd: root, encoding: 'utf8' },
  )
  if (tsdown.status !== 0) process.stderr.write(`${tsdown.stdout}${tsdown.stderr}`)
  if (tsdown.status === 0) declareCommonJs()
  return tsdown.status ?? 1
}

/** TypeScript before 5.8 lets CommonJS modules import no declarations of ES modules: they are there once more for CommonJS. */
function declareCommonJs() {
  for (const file of readdirSync(fresh).filter((name) => name.endsWith('.d.ts'))) {
    const types = readFileSync(join(fresh, file), 'utf8')
    const required = types.replace(/(from "\.\/[^"]+)\.js"/g, '$1.cjs"')
    writeFileSync(join(fresh, file.replace(/\.ts$/, '.cts')), required)
  }
}

// A process that uses dist/ meanwhile finds the old one or the new one, except between the two renames.
function replace() {
  if (existsSync(dist)) renameSync(dist, old)
  renameSync(fresh, dist)
}

if (
  newest([
    'src',
    'package.json',
    'tsdown.config.ts',
    'tsconfig.json',
    'scripts/build-ts.mjs',
    'scripts/third-party.ts',
    'scripts/licences',
  ]) > oldest(['dist/index.js', 'dist/index.d.ts', 'dist/cli.cjs'])
) {
  process.exitCode = bundle()
  if (process.exitCode === 0) replace()
  for (const left of [fresh, old]) rmSync(left, { recursive: true, force: true })
}
