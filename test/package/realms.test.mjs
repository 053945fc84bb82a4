// Test runners that give each test file a vm context of its own: there an error of Node's is no `Error` of the file's.
import assert from 'node:assert/strict'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { installedTool, makeProject, run, write } from './place.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** One test of a library's user; a second file of the same makes a second context in the same process. */
const userTest = `
import { existsSync } from 'node:fs'
import { openShell, VitrineError } from 'vitrine'

test('a shell opens, looks, refuses a write and saves large output', async () => {
  const shell = await openShell({ mode: 'read' })
  expect((await shell.execute({ command: 'echo seen' })).stdout).toBe('seen\\n')
  expect((await shell.execute({ command: 'cat', stdin: new Uint8Array([104, 105]) })).stdout).toBe('hi')
  expect((await shell.execute({ command: 'echo x > made' })).exitCode).not.toBe(0)
  expect(existsSync('made')).toBe(false)
  const large = await shell.execute({ command: 'head -c 3000000 /dev/zero' })
  expect([large.bytes, large.scratchpad?.bytes]).toEqual([3000000, 3000000])
  await expect(shell.execute({ command: 'x', cwd: '/nowhere/at/all' })).rejects.toBeInstanceOf(VitrineError)
  await shell.close()
})

test('a configuration that is wrong is refused by its code', async () => {
  const config = 'missing.toml'
  await expect(openShell({ config })).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
})

test('an aborted command is cancelled', async () => {
  const shell = await openShell({ mode: 'read' })
  const abort = new AbortController()
  const onOutput = () => abort.abort()
  const result = await shell.execute({ command: 'echo begun; sleep 60' }, { signal: abort.signal, onOutput })
  expect(result.cancelled).toBe(true)
  await shell.close()
})
`

/** The same with require(), as Jest has it by default. */
const requiringTest = userTest.replace(/import (.*) from ('.*')/g, 'const $1 = require($2)')

describe('a library user whose tests run in vm contexts', () => {
  const project = makeProject()
  write(project, { 'tests/one.test.js': userTest, 'tests/two.test.js': userTest })

  it('Jest runs them', () => {
    const jest = join(installedTool('jest@30.5.2'), 'jest/bin/jest.js')
    const args = ['--experimental-vm-modules', jest, '--rootDir', project, '--runInBand']
    const { status, stdout, stderr } = run(project, process.execPath, args)
    assert.equal(status, 0, `${stdout}${stderr}`)
    assert.match(stderr, /^Tests: +6 passed, 6 total$/m)
  })

  for (const version of ['30.5.2', '29.7.0'])
    it(`Jest ${version} runs them with require(), without options of Node`, () => {
      const requiring = makeProject({ type: 'commonjs' })
      write(requiring, { 'tests/one.test.js': requiringTest, 'tests/two.test.js': requiringTest })
      const jest = join(installedTool(`jest@${version}`), 'jest/bin/jest.js')
      const args = [jest, '--rootDir', requiring, '--runInBand']
      const { status, stdout, stderr } = run(requiring, process.execPath, args)
      assert.equal(status, 0, `${stdout}${stderr}`)
      assert.match(stderr, /^Tests: +6 passed, 6 total$/m)
    })

  it('vitest runs them with vmThreads', () => {
    writeFileSync(
      join(project, 'vitest.config.js'),
      'export default { test: { globals: true, pool: "vmThreads" } }',
    )
    const { status, stdout, stderr } = run(project, process.execPath, [
      join(root, 'node_modules/vitest/vitest.mjs'),
      'run',
    ])
    rmSync(join(project, 'vitest.config.js'))
    assert.equal(status, 0, `${stdout}${stderr}`)
    assert.match(stdout, /Tests +6 passed \(6\)/)
  })
})
