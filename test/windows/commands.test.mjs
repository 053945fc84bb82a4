import assert from 'node:assert/strict'
import { closeSync, openSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import test from 'node:test'
import { acceptAnyLevel, actor, makeDirectory, openTestShell } from './place.mjs'

acceptAnyLevel()

for (const mode of ['read', 'write']) {
  const open = (options) => openTestShell({ mode, ...options })

  test(`${mode}: output of both streams arrives apart, and merged in one`, async () => {
    const shell = await open()
    const apart = await shell.execute({ argv: [actor, 'both'] })
    assert.deepEqual([apart.stdout, apart.stderr, apart.exitCode], ['out', 'err', 0])
    const merged = await shell.execute({ argv: [actor, 'both'], merged: true })
    assert.deepEqual([merged.stdout, merged.stderr], ['outerr', ''])
  })

  test(`${mode}: exit codes are the program's own, of a crash that of Windows, all 32 bits of them`, async () => {
    const shell = await open()
    for (const [code, ...argv] of [
      ...[0, 3, 255, 256, 3_000_000_000].map((own) => [own, 'exit', String(own)]),
      [0xc0000005, 'crash'],
    ]) {
      const { exitCode, signal } = await shell.execute({ argv: [actor, ...argv], timeoutMs: 20_000 })
      assert.deepEqual([exitCode, signal], [code, null])
    }
  })

  test(`${mode}: input arrives whole, from text, stream and descriptor`, async () => {
    const shell = await open()
    const text = 'ä'.repeat(300_000)
    const file = join(makeDirectory(), 'input')
    writeFileSync(file, text)
    const descriptor = openSync(file, 'r')
    for (const stdin of [text, Readable.from([text]), descriptor]) {
      const { bytes, exitCode } = await shell.execute({ argv: [actor, 'cat'], stdin, timeoutMs: 20_000 })
      assert.deepEqual([bytes, exitCode], [600_000, 0])
    }
    closeSync(descriptor)
    for (const [stdin, seen] of [
      ['short', 'short'],
      [undefined, ''],
    ]) {
      const { output, exitCode } = await shell.execute({ argv: [actor, 'cat'], stdin })
      assert.deepEqual([output, exitCode], [seen, 0])
    }
  })

  test(`${mode}: a command that does not read its input is not waited for`, async () => {
    const shell = await open()
    const request = { argv: [actor, 'exit', '4'], stdin: 'x'.repeat(1_000_000), timeoutMs: 20_000 }
    assert.equal((await shell.execute(request)).exitCode, 4)
  })

  test(`${mode}: a slow listener holds the command back and loses nothing`, async () => {
    const shell = await open()
    let heard = 0
    const onOutput = async (_stream, chunk) => {
      heard += chunk.length
      await new Promise((resolve) => setTimeout(resolve, 1))
    }
    const request = { argv: [actor, 'flood', '5000000'], timeoutMs: 60_000 }
    const { bytes, exitCode } = await shell.execute(request, { onOutput })
    assert.deepEqual([bytes, heard, exitCode], [5_000_000, 5_000_000, 0])
  })

  test(`${mode}: what cannot be run is told by its kind, and the shell can be closed`, async () => {
    const shell = await open()
    const text = join(makeDirectory(), 'text.exe')
    writeFileSync(text, 'no program')
    const notFound = { code: 'SPAWN_FAILED', message: /not found/ }
    for (const [name, error] of [
      ['there-is-no-such-program', notFound],
      ['Z:\\no\\such.exe', notFound],
      ['npm.cmd', { code: 'INVALID_REQUEST', message: /batch file/ }],
      [text, { code: 'SPAWN_FAILED' }],
    ])
      await assert.rejects(shell.execute({ argv: [name] }), error)
    await shell.close()
  })

  test(`${mode}: commands run in their directory and side by side`, async () => {
    const shell = await open()
    const numbers = Array.from({ length: 20 }, (_, number) => number)
    const run = (number) => shell.execute({ argv: [actor, 'exit', String(number)] })
    const results = await Promise.all(numbers.map(run))
    assert.deepEqual(
      results.map(({ exitCode }) => exitCode),
      numbers,
    )
    const { output } = await shell.execute({ argv: ['cmd', '/c', 'cd'] })
    assert.equal(output.trim().toLowerCase(), shell.cwd.toLowerCase())
  })

  test(`${mode}: the environment is the listed variables, by names that know no case`, async () => {
    const toml = '[env]\npass = ["Vitrine_Test_Passed"]\nset = { Vitrine_Test_Set = "set" }'
    const env = { VITRINE_TEST_PASSED: 'passed', VITRINE_TEST_SECRET: 'secret' }
    const shell = await open({ env, toml })
    const variable = async (name) => (await shell.execute({ argv: [actor, 'variable', name] })).output
    assert.equal(await variable('VITRINE_TEST_PASSED'), 'passed')
    assert.equal(await variable('VITRINE_TEST_SET'), 'set')
    assert.equal(await variable('VITRINE_TEST_SECRET'), '')
    assert.match(await variable('SystemRoot'), /windows/i)
    assert.equal(await variable('GIT_TERMINAL_PROMPT'), '0')
  })
}
