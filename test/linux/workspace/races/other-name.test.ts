import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { makeDirectory, openTestShell } from '../../../helpers/place.ts'

/** From outside, a name in the workspace becomes by turns a file of its own and another name of a protected file. */
const swapper = `
const fs = require('node:fs')
process.stdout.write('swapping')
for (;;) {
  fs.writeFileSync('new', 'own')
  fs.renameSync('new', 'name')
  fs.linkSync('.envrc', 'new')
  fs.renameSync('new', 'name')
}`

async function changes(mode: 'workspace' | 'write', attempt: string): Promise<boolean> {
  const cwd = join(makeDirectory(), 'project')
  mkdirSync(cwd)
  writeFileSync(join(cwd, '.envrc'), 'protected')
  writeFileSync(join(cwd, 'name'), 'own')
  const child = spawn(process.execPath, ['-e', swapper], { cwd, stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  const shell = await openTestShell({ cwd, mode })
  const line = `i=0; while [ $i -lt 3000 ]; do ${attempt}; i=$((i + 1)); done`
  await shell.execute({ command: line, timeoutMs: 120_000 })
  child.kill('SIGKILL')
  await ended
  const { mode: bits } = statSync(join(cwd, '.envrc'))
  return readFileSync(join(cwd, '.envrc'), 'utf8') !== 'protected' || (bits & 0o777) === 0
}

describe.runIf(process.platform === 'linux')('a name that becomes one of a protected file', () => {
  it.for([': > name', 'echo x >> name'])(
    'while it is opened does not open that: { %s; } 2> /dev/null',
    async (attempt) => {
      const quiet = `{ ${attempt}; } 2> /dev/null`
      expect(await changes('workspace', quiet)).toBe(false)
      expect(await changes('write', quiet)).toBe(true)
    },
  )
})
