import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { actor, makeDirectory, useAddon } from './place.mjs'

const addon = useAddon('released')
const held = { skip: addon.probe().held ? 'this system has integrity levels' : false }

test(
  'a confined command that is not low never runs: the addon itself reads its level back',
  held,
  async () => {
    const target = join(makeDirectory(), 'written')
    const end = await new Promise((resolve) => {
      const argv = [`${actor} write ${target}`]
      const streams = { stdin: null, merged: false, state: false, terminal: null }
      const held = { limits: null, deadline: null, confinement: { kind: 'low-integrity' } }
      addon.spawn({ candidates: [actor], argv, env: '', cwd: process.cwd(), ...streams, ...held }, resolve)
    })
    assert.equal(end.step, 'integrity')
    assert.ok(end.errno > 0x1000)
    assert.equal(existsSync(target), false)
  },
)
