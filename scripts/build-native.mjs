// Builds the addon with node-gyp into build/Release, unless it is newer than everything it is made of.
import { spawnSync } from 'node:child_process'
import { copyFileSync, cpSync, existsSync, mkdirSync, renameSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { newest, oldest, root } from './freshness.mjs'
import { isPlain, isWritable, temporary } from './writable.mjs'

const addon = 'build/Release/vitrine.node'

/** A Node installed with its headers needs no download of them; else they go to node-gyp's place below HOME, where that can be. */
function headers() {
  const prefix = dirname(dirname(process.execPath))
  if (isPlain(prefix) && existsSync(join(prefix, 'include/node/node_api.h'))) return [`--nodedir=${prefix}`]
  if (isPlain(homedir()) && isWritable(homedir())) return []
  return [`--devdir=${temporary('vitrine-headers-')}`]
}

/** Runs node-gyp in a directory; returns its exit code. */
function nodeGyp(cwd, ...args) {
  const run = spawnSync(
    process.execPath,
    [join(root, 'node_modules/node-gyp/bin/node-gyp.js'), ...args, '--loglevel=error'],
    {
      cwd,
      encoding: 'utf8',
      env: { ...process.env, npm_config_nodedir: undefined, npm_config_cache: process.env.npm_config_cache },
    },
  )
  if (run.status !== 0) process.stderr.write(`${run.stdout}${run.stderr}`)
  return run.status ?? 1
}

function build(cwd) {
  const options = headers()
  return nodeGyp(cwd, 'configure', ...options) || nodeGyp(cwd, 'build', '--jobs=max', ...options)
}

/** Builds a copy of the sources in a directory whose path makefiles can take, and brings the addon back. */
function buildElsewhere() {
  const work = temporary('vitrine-build-')
  for (const path of ['binding.gyp', 'package.json', 'native', 'node_modules/node-addon-api'])
    cpSync(join(root, path), join(work, path), { recursive: true })
  const status = build(work)
  if (status === 0) bringBack(join(work, addon))
  return status
}

/** A host that has the old addon loaded keeps it. */
function bringBack(built) {
  const target = join(root, addon)
  mkdirSync(dirname(target), { recursive: true })
  copyFileSync(built, `${target}.new`)
  renameSync(`${target}.new`, target)
}

if (process.platform === 'linux' && newest(['native', 'binding.gyp']) > oldest([addon]))
  process.exitCode = isPlain(root) ? build(root) : buildElsewhere()
