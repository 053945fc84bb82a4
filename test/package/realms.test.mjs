// Test runners that give each test file a vm context of its own: there an error of Node's is no `Error` of the file's.
import assert from 'node:assert/strict'
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

const files = (text) => ({ 'tests/one.test.js': text, 'tests/two.test.js': text })

describe('a library user whose tests run in vm contexts', () => {
  const project = makeProject()
  const requiring = makeProject({ type: 'commonjs' })
  const config = 'export default { test: { globals: true, pool: "vmThreads" } }'
  write(project, files(userTest))
  write(requiring, files(requiringTest))

  function passes(directory, args) {
    const { status, stdout, stderr } = run(directory, process.execPath, args)
    assert.equal(status, 0, `${stdout}${stderr}`)
    assert.match(`${stdout}${stderr}`, /^ *Tests:? +6 passed/m)
  }

  for (const [version, directory, ...options] of [
    ['30.5.2', project, '--experimental-vm-modules'],
    ['30.5.2', requiring],
    ['29.7.0', requiring],
  ])
    it(`Jest ${version} runs them with ${options[0] ?? 'require(), without options of Node'}`, () => {
      const jest = join(installedTool(`jest@${version}`), 'jest/bin/jest.js')
      passes(directory, [...options, jest, '--rootDir', directory, '--runInBand'])
    })

  it('vitest runs them with vmThreads', () => {
    write(project, { 'vitest.config.js': config })
    passes(project, [join(root, 'node_modules/vitest/vitest.mjs'), 'run'])
  })
})
