import { closeSync, openSync, writeFileSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { pump } from '../../src/launch/launch.ts'
import { makeDirectory } from '../helpers/place.ts'

function openInput(): number {
  const file = join(makeDirectory(), 'input')
  writeFileSync(file, 'what a command reads\n')
  return openSync(file, 'r')
}

/** A descriptor is closed in a thread of the pool, as these are looked at. */
async function afterThePool(): Promise<void> {
  for (let look = 0; look < 20; look++) await stat('/')
}

it('a descriptor that has been read to its end stays open: it is its owner’s', async () => {
  const fd = openInput()
  const to = new PassThrough()
  pump(fd, to)
  expect(String(await to.toArray())).toBe('what a command reads\n')
  await afterThePool()
  expect(() => closeSync(fd)).not.toThrow()
})
