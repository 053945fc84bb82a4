import { openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { Collector } from '../../src/run/collect.ts'
import { makeDirectory } from '../helpers/place.ts'

it('output that comes in very many pieces before it is saved is saved whole', async () => {
  const path = join(makeDirectory(), 'output')
  const collector = new Collector({
    inlineChars: 100_000,
    maxBytes: 0,
    save: true,
    openSpill: () => ({ name: 'output', path, fd: openSync(path, 'wx') }),
    consumed: () => {},
    overflow: () => {},
  })
  const pieces = 400_000
  for (let piece = 0; piece < pieces; piece++) collector.add('stdout', Buffer.of(97 + (piece % 26)))
  const { notSaved, spilled } = await collector.finish()
  expect({ notSaved, bytes: spilled?.bytes }).toEqual({ notSaved: undefined, bytes: pieces })
  expect(readFileSync(path).length).toBe(pieces)
})
