import fs, { closeSync, openSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { isHarmlessInput } from '../../src/request/stdin.ts'
import { makeDirectory } from '../helpers/place.ts'

it('without /proc, as on macOS and Windows, no file is known to be open for reading only', () => {
  const file = join(makeDirectory(), 'file')
  writeFileSync(file, '')
  const fd = openSync(file, 'r')
  expect(isHarmlessInput(fd)).toBe(true)
  const read = vi.spyOn(fs, 'readFileSync').mockImplementation(() => {
    throw Object.assign(new Error('ENOENT'), { code: 'ENOENT' })
  })
  syncBuiltinESMExports()
  try {
    expect(isHarmlessInput(fd)).toBe(false)
  } finally {
    read.mockRestore()
    syncBuiltinESMExports()
    closeSync(fd)
  }
})
