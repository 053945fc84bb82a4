// Builds the addon with node-gyp into build/Release, unless it is newer than everything it is made of.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { newest, oldest, root } from './freshness.mjs'

// A Node installed with its headers needs no download of them.
function headers() {
  const prefix = dirname(dirname(process.execPath))
  return existsSync(join(prefix, 'include/node/node_api.h')) ? [`--nodedir=${prefix}`] : []
}

function nodeGyp(...args) {
  const run = spawnSync(
    process.execPath,
    ['node_modules/node-gyp/bin/node-gyp.js', ...args, '--loglevel=error', ...headers()],
    {
      cwd: root,
      encoding: 'utf8',
      env: { ...process.env, npm_config_nodedir: undefined, npm_config_cache: process.env.npm_config_cache },
    },
  )
  if (run.status === 0) return
  process.stderr.write(`${run.stdout}${run.stderr}`)
  process.exit(run.status ?? 1)
}

if (
  process.platform === 'linux' &&
  newest(['native', 'binding.gyp']) > oldest(['build/Release/vitrine.node'])
) {
  nodeGyp('configure')
  nodeGyp('build', '--jobs=max')
}
