// Bundles src/ into dist/, unless dist/ is newer than everything it is made of.
import { spawnSync } from 'node:child_process'
import { newest, oldest, root } from './freshness.mjs'

const made = oldest(['dist/index.js', 'dist/index.d.ts', 'dist/cli.cjs'])
if (newest(['src', 'package.json', 'tsdown.config.ts', 'tsconfig.json']) > made) {
  const tsdown = spawnSync(process.execPath, ['node_modules/tsdown/dist/run.mjs', '--log-level', 'warn'], {
    cwd: root,
    stdio: 'inherit',
  })
  process.exitCode = tsdown.status ?? 1
}
