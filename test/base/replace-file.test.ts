import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { replaceFile, writeNewFile } from '../../src/base/replace-file.ts'
import { makeDirectory } from '../helpers/place.ts'

vi.mock('node:fs', async (original) => ({
  ...(await original<typeof import('node:fs')>()),
  fchownSync() {
    throw Object.assign(new Error('EPERM'), { code: 'EPERM' })
  },
}))

it("a file of a group that is not its owner's is replaced, and gives its other group nothing", () => {
  const file = join(makeDirectory(), 'file')
  writeFileSync(file, 'before')
  replaceFile(file, 'after', 0o664, { uid: 0, gid: 0 })
  expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777]).toEqual(['after', 0o604])
  expect(() => writeNewFile(file, 'again', 0o600)).toThrow('EEXIST')
  replaceFile(file, 'own', 0o664)
  expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777]).toEqual(['own', 0o664])
})
