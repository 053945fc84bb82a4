import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { makeDirectory } from '../helpers/place.ts'
import { repository } from '../helpers/programs.ts'

it('a shell in read mode has a ruleset before its first command, which uses that one', async () => {
  const script = join(repository, 'test/fixtures/prepare/open.mjs')
  const { stdout } = await promisify(execFile)(process.execPath, [script, makeDirectory()])
  expect(JSON.parse(stdout)).toEqual([1, 'it runs\n', 1])
})
