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

  test(`${mode}: exit codes are the program's own, all 32 bits of them`, async () => {
    const shell = await open()
    for (const code of [0, 3, 255, 256, 3_000_000_000]) {
      const { exitCode, signal } = await shell.execute({ argv: [actor, 'exit', String(code)] })
      assert.deepEqual([exitCode, signal], [code, null])
    }
  })

  test(`${mode}: a crash is an exit code of Windows, and shows no dialog`, async () => {
    const shell = await open()
    const { exitCode } = await shell.execute({ argv: [actor, 'crash'], timeoutMs: 20_000 })
    assert.equal(exitCode, 0xc0000005)
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
    assert.equal((await shell.execute({ argv: [actor, 'cat'], stdin: 'short' })).output, 'short')
  })

  test(`${mode}: without input there is nothing to read`, async () => {
    const { output, exitCode } = await (await open()).execute({ argv: [actor, 'cat'] })
    assert.deepEqual([output, exitCode], ['', 0])
  })

  test(`${mode}: a command that does not read its input is not waited for`, async () => {
    const shell = await open()
    const request = { argv: [actor, 'exit', '4'], stdin: 'x'.repeat(1_000_000), timeoutMs: 20_000 }
    assert.equal((await shell.execute(request)).exitCode, 4)
  })

  test(`${mode}: much output is counted to the last byte`, async () => {
    const shell = await open()
    const { bytes } = await shell.execute({ argv: [actor, 'flood', '20000000'], timeoutMs: 60_000 })
    assert.equal(bytes, 20_000_000)
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

  test(`${mode}: a program that is not there is told`, async () => {
    const shell = await open()
    for (const name of ['there-is-no-such-program', 'Z:\\no\\such.exe'])
      await assert.rejects(shell.execute({ argv: [name] }), { code: 'SPAWN_FAILED', message: /not found/ })
  })

  test(`${mode}: a batch file is refused, and the shell can be closed`, async () => {
    const shell = await open()
    await assert.rejects(shell.execute({ argv: ['npm.cmd', '-v'] }), {
      code: 'INVALID_REQUEST',
      message: /batch file/,
    })
    await shell.close()
  })

  test(`${mode}: a file that is no program is told`, async () => {
    const shell = await open()
    const file = join(makeDirectory(), 'text.exe')
    writeFileSync(file, 'no program')
    await assert.rejects(shell.execute({ argv: [file] }), { code: 'SPAWN_FAILED' })
  })

  test(`${mode}: commands run in their directory and side by side`, async () => {
    const shell = await open()
    const started = performance.now()
    const all = Array.from({ length: 20 }, (_, n) => shell.execute({ argv: [actor, 'exit', String(n)] }))
    const codes = (await Promise.all(all)).map(({ exitCode }) => exitCode)
    assert.deepEqual(
      codes,
      Array.from({ length: 20 }, (_, n) => n),
    )
    assert.ok(performance.now() - started < 30_000)
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
