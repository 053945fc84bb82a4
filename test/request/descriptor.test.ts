import { closeSync, openSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { isHarmlessInput } from '../../src/request/descriptor.ts'
import { makeDirectory } from '../helpers/place.ts'

vi.mock('node:fs', async (original) => ({
  ...(await original<typeof import('node:fs')>()),
  readFileSync() {
    throw Object.assign(new Error('ENOENT'), { code: 'ENOENT' })
  },
}))

it('without /proc, as on macOS and Windows, no file is known to be open for reading only', () => {
  const file = join(makeDirectory(), 'file')
  writeFileSync(file, '')
  const fd = openSync(file, 'r')
  expect(isHarmlessInput(fd)).toBe(false)
  closeSync(fd)
})
