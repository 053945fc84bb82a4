import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { actor, makeDirectory, useAddon } from './place.mjs'

// A file of its own: an addon has one listener, and here it is not vitrine's.
const addon = useAddon('released')
const held = { skip: addon.probe().held ? 'this system has integrity levels' : false }

test(
  'a confined command that is not low never runs: the addon itself reads its level back',
  held,
  async () => {
    const target = join(makeDirectory(), 'written')
    const confined = 2
    const end = await new Promise((resolve) => {
      addon.listen((_id, stream, payload) => stream === -1 && resolve(payload))
      const line = `${actor} write ${target}`
      addon.spawn(actor, line, Buffer.from(''), process.cwd(), '', -1, confined, 0)
    })
    assert.equal(end.failedStep, 'integrity')
    assert.ok(end.errno > 0x1000)
    assert.equal(existsSync(target), false)
  },
)
