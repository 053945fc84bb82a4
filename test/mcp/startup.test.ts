import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Home, program } from '../cli/vitrine.ts'

const home = new Home()
const trace = join(home.directory, 'trace.cjs')
writeFileSync(trace, `process.on('exit', () => console.error(Object.keys(require.cache).join('\\n')))`)

/** The files that the command line has loaded when it ends. */
function loadedBy(...args: readonly string[]): string[] {
  const argv = ['--require', trace, program, ...args]
  const { status, stderr } = spawnSync(process.execPath, argv, { env: home.env, input: '', encoding: 'utf8' })
  expect(status).toBe(0)
  return stderr.split('\n')
}

describe('starting', () => {
  it('no other command loads the SDK', () => {
    const sdk = join(program, '../sdk.cjs')
    const others = loadedBy('run', '--', 'true')
    expect([others.includes(program), others.includes(sdk)]).toEqual([true, false])
    expect(loadedBy('mcp')).toContain(sdk)
  })
})
