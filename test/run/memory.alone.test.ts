import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { makeDirectory } from '../helpers/place.ts'
import { repository } from '../helpers/programs.ts'

it.for([
  ['read', '300', '0', ''],
  ['write', '300', '0', ''],
  ['read', '30', '20', ''],
  ['read', '200', '0', 'background'],
] as const)(
  'in %s mode memory stays bounded while %s MB pass, the consumer pausing %s ms %s',
  ([mode, megabytes, pause, ...how]) => {
    const script = join(repository, 'test/fixtures/host/memory.mjs')
    const args = [script, makeDirectory(), mode, megabytes, pause, ...how]
    const found = JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }))
    const bytes = Number(megabytes) * 1e6
    expect(found).toMatchObject({ exitCode: 0, bytes, seen: bytes, saved: bytes })
    expect(found.roseMb).toBeLessThan(100)
  },
)
