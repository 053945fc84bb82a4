import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { actor, makeDirectory, openTestShell, useAddon } from './place.mjs'

// Wine takes SetTokenInformation(TokenIntegrityLevel) and does nothing: the case that read mode must not fall for.
const addon = useAddon('released')
const probe = addon.probe()
const held = { skip: probe.held ? 'this system has integrity levels' : false }
const notHeld = { skip: probe.held ? false : 'this system has no integrity levels (Wine)' }

test('what is released has no override', () => {
  assert.equal('acceptIntegrity' in addon, false)
})

test('the probe tells the level that a lowered process really has', held, () => {
  assert.equal(probe.error, 0)
  assert.ok(probe.lowered > 0x1000, `level ${probe.lowered}`)
  assert.match(probe.systemDirectory, /^[A-Z]:\\.*system32$/i)
})

test('read mode is refused where a lowered process is not low', held, async () => {
  await assert.rejects(openTestShell({ mode: 'read' }), (error) => {
    assert.equal(error.code, 'SANDBOX_UNAVAILABLE')
    assert.match(error.message, /Low integrity.*0x[23]000.*did not run/)
    return true
  })
})

test('read mode cannot write outside what is labelled Low', notHeld, async () => {
  const shell = await openTestShell({ mode: 'read' })
  const target = join(makeDirectory(), 'written')
  const { exitCode } = await shell.execute({ argv: [actor, 'write', target] })
  assert.equal(exitCode, 5)
  assert.equal(existsSync(target), false)
})

test('write mode runs all the same', async () => {
  const shell = await openTestShell({ mode: 'write' })
  const target = join(makeDirectory(), 'written')
  const { exitCode } = await shell.execute({ argv: [actor, 'write', target] })
  assert.equal(exitCode, 0)
  assert.equal(existsSync(target), true)
})

test(
  'a confined command that is not low never runs: the addon itself reads its level back',
  held,
  async () => {
    const target = join(makeDirectory(), 'written')
    const end = await new Promise((resolve) => {
      const argv = [`${actor} write ${target}`]
      const streams = { stdin: null, merged: false, tellsStart: false, keepsState: false, terminal: null }
      const held = { limits: null, deadline: null, confinement: { kind: 'low-integrity' } }
      addon.spawn({ candidates: [actor], argv, env: '', cwd: process.cwd(), ...streams, ...held }, resolve)
    })
    assert.equal(end.step, 'integrity')
    assert.ok(end.errno > 0x1000)
    assert.equal(existsSync(target), false)
  },
)
