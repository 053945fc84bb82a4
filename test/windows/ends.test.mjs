import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import { acceptAnyLevel, actor, isAlive, isGone, makeDirectory, openTestShell } from './place.mjs'

acceptAnyLevel()

for (const mode of ['read', 'write']) {
  const open = (options) => openTestShell({ mode, ...options })

  test(`${mode}: a deadline ends the command and what it started`, async () => {
    const shell = await open()
    const started = performance.now()
    const result = await shell.execute({ argv: [actor, 'leave-and-sleep'], timeoutMs: 1500 })
    assert.ok(performance.now() - started < 3500)
    assert.deepEqual([result.timedOut, result.exitCode, result.signal], [true, null, 'SIGTERM'])
    assert.ok(await isGone(Number(result.output)), 'the grandchild lives on')
  })

  test(`${mode}: a cancelled command ends, and so does one whose shell is closed`, async () => {
    const shell = await open()
    const abort = new AbortController()
    const cancelled = shell.execute({ argv: [actor, 'sleep', '60000'] }, { signal: abort.signal })
    const closed = shell.execute({ argv: [actor, 'sleep', '60000'] })
    setTimeout(() => abort.abort(), 300)
    assert.equal((await cancelled).cancelled, true)
    await shell.close()
    assert.equal((await closed).cancelled, true)
  })

  test(`${mode}: too much output ends the command`, async () => {
    const shell = await open({ toml: '[output]\nmax_bytes = 1000000' })
    const result = await shell.execute({ argv: [actor, 'flood', '100000000'], timeoutMs: 30_000 })
    assert.deepEqual([result.outputLimited, result.timedOut], [true, false])
  })

  test(`${mode}: a child that holds the output delays nothing`, async () => {
    const shell = await open()
    const started = performance.now()
    // Not in the test's own directory: what lives on keeps it in use for a while.
    const request = { argv: [actor, 'leave-holding'], cwd: process.cwd(), timeoutMs: 30_000 }
    const result = await shell.execute(request)
    assert.ok(performance.now() - started < 5000)
    const pid = Number(result.output)
    if (mode === 'read') {
      assert.equal(result.survivorsKilled, 1)
      assert.ok(await isGone(pid), 'the child lives on')
    } else {
      assert.equal(result.background?.count, 1)
      assert.ok(isAlive(pid), 'the child in the background was ended')
      process.kill(pid)
      assert.ok(await isGone(pid))
    }
  })

  test(`${mode}: nothing but the standard handles is inherited`, async () => {
    const shell = await open()
    const { output } = await shell.execute({ argv: [actor, 'handles'] })
    assert.equal(output, '0')
  })
}

test('read: a detached child does not outlive its command', async () => {
  const shell = await openTestShell({ mode: 'read' })
  const result = await shell.execute({ argv: [actor, 'leave'] })
  assert.equal(result.survivorsKilled, 1)
  assert.ok(await isGone(Number(result.output)))
})

test('a host that is killed takes its commands with it', async () => {
  const log = join(makeDirectory(), 'pid')
  writeFileSync(log, '')
  const script = fileURLToPath(new URL('host.mjs', import.meta.url))
  const to = openSync(log, 'a')
  const host = spawn(process.execPath, [script], { stdio: ['ignore', to, 'ignore'] })
  closeSync(to)
  let pid = 0
  for (let tries = 0; tries < 500 && pid === 0; tries++) {
    await new Promise((resolve) => setTimeout(resolve, 20))
    pid = Number(readFileSync(log, 'utf8'))
  }
  assert.ok(pid > 0 && isAlive(pid), 'the command did not start')
  host.kill('SIGKILL')
  assert.ok(await isGone(pid), 'the command lives on')
})
