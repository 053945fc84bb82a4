// Runs scripts of package.json side by side, and prints each one's output when it has ended.
import { spawn } from 'node:child_process'
import { root } from './freshness.mjs'

/** @param {string} script @returns {Promise<boolean>} whether it passed */
function passes(script) {
  return new Promise((resolve) => {
    const child = spawn('npm', ['run', script], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      shell: process.platform === 'win32',
    })
    /** @type {Buffer[]} */
    const output = []
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => output.push(chunk))
    child.once('error', (error) => output.push(Buffer.from(`${error.message}\n`)))
    child.once('close', (code) => {
      process.stdout.write(Buffer.concat(output))
      if (code !== 0) console.error(`npm run ${script} failed`)
      resolve(code === 0)
    })
  })
}

const passed = await Promise.all(process.argv.slice(2).map(passes))
if (passed.includes(false)) process.exitCode = 1
