import { execFileSync } from 'node:child_process'
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { makeDirectory } from '../helpers/place.ts'
import { builtLibrary, repository } from '../helpers/programs.ts'

it.skipIf(process.getuid?.() !== 0)(
  'a host that becomes another user runs commands as that user (needs root)',
  () => {
    const program = join(repository, 'test/fixtures/host/other-user.mjs')
    const cwd = makeDirectory()
    chmodSync(cwd, 0o755)
    const printed = execFileSync(process.execPath, [program, builtLibrary, '23456'], {
      cwd,
      encoding: 'utf8',
    })
    const [root, other] = ['0\n', '23456\n']
    expect(JSON.parse(printed)).toEqual({ before: [root, root, root], after: [other, other, other] })
  },
)
