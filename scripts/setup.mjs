// Installs the packages that package-lock.json names, unless they stand there already.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { npm } from './npm.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const stamp = `${root}node_modules/.vitrine-setup`
const lock = readFileSync(`${root}package-lock.json`, 'utf8')

if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== lock) {
  // Not `npm ci`: it refuses a lock file that was written where a registry lacks packages of other platforms.
  const { status } = npm(
    ['install', '--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'],
    { cwd: root, stdio: ['ignore', 2, 2] },
  )
  if (status !== 0) process.exit(status ?? 1)
  writeFileSync(stamp, lock)
}
