// Installs the packages that package-lock.json names, unless they stand there already.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { npm } from './npm.mjs'
import { isWritable, temporary } from './writable.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const stamp = `${root}node_modules/.vitrine-setup`
const lock = readFileSync(`${root}package-lock.json`, 'utf8')

/** npm fails without a cache. */
function cache() {
  const own = process.env.npm_config_cache ?? join(homedir(), '.npm')
  return isWritable(own) ? [] : ['--cache', temporary('vitrine-npm-')]
}

if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== lock) {
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  const { status } = npm(['ci', ...options, ...cache()], { cwd: root, stdio: ['ignore', 2, 2] })
  if (status !== 0) process.exit(status ?? 1)
  writeFileSync(stamp, lock)
}
