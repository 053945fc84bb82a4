// Runs npm. On Windows it is a batch file, which Node starts through a shell only; its own script starts everywhere.
import { spawnSync } from 'node:child_process'

/** As spawnSync(). `npm run` says where its script is; without it npm is looked for on PATH. */
export function npm(args, options) {
  const script = process.env.npm_execpath ?? ''
  return script.endsWith('npm-cli.js')
    ? spawnSync(process.execPath, [script, ...args], options)
    : spawnSync('npm', args, { ...options, shell: process.platform === 'win32' })
}
