import fs, { readFileSync, statSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { replaceFile, writeNewFile } from '../../src/base/files.ts'
import { makeDirectory } from '../helpers/place.ts'

it("a file of a group that is not its owner's is replaced, and gives its other group nothing", () => {
  const file = join(makeDirectory(), 'file')
  writeFileSync(file, 'before')
  const seen = () => [readFileSync(file, 'utf8'), statSync(file).mode & 0o777]
  const give = vi.spyOn(fs, 'fchownSync').mockImplementation(() => {
    throw Object.assign(new Error('EPERM'), { code: 'EPERM' })
  })
  syncBuiltinESMExports()
  try {
    replaceFile(file, 'after', 0o664, { uid: 0, gid: 0 })
    expect(seen()).toEqual(['after', 0o604])
    expect(() => writeNewFile(file, 'again', 0o600)).toThrow('EEXIST')
    replaceFile(file, 'own', 0o664)
    expect(seen()).toEqual(['own', 0o664])
  } finally {
    give.mockRestore()
    syncBuiltinESMExports()
  }
})
