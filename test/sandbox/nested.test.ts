import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Result } from '../../src/base/types.ts'
import { users } from '../attacks/table.ts'
import { makeDirectory } from '../helpers/place.ts'
import { readable } from '../helpers/programs.ts'
import { runAs } from '../helpers/run-as.ts'

const vitrine = [process.execPath, join(readable, 'dist/cli.cjs'), 'run'] as const

/** vitrine in a command of vitrine's, in read mode outside: what the inner one is told cannot loosen anything. */
describe.runIf(process.platform === 'linux').for(users)('as $name', (user) => {
  let file: string
  let made: string
  let inner: { readonly reading: Result; readonly writing: Result; readonly deep: Result }

  beforeAll(async () => {
    const directory = makeDirectory()
    chmodSync(directory, 0o777)
    file = join(directory, 'file')
    made = join(directory, 'made')
    writeFileSync(file, 'kept', { mode: 0o666 })
    chmodSync(file, 0o666)
    const change = ['sh', '-c', `cat ${file}; echo changed > ${file}; echo made > ${made}`]
    const [reading, writing, deep] = await runAs(user, {
      options: { mode: 'read', cwd: directory },
      commands: [
        [...vitrine, '--', ...change],
        [...vitrine, '--write', '--', ...change],
        [...vitrine, '--', ...vitrine, '--write', '--', ...change],
      ],
    })
    if (!reading || !writing || !deep) throw new Error('a command has no result')
    inner = { reading, writing, deep }
  }, 120_000)

  it('read mode in read mode runs, and tells what it refuses', () => {
    expect(inner.reading.stdout).toContain('kept')
    expect(inner.reading.exitCode).not.toBe(0)
  })

  it.for(['reading', 'writing', 'deep'] as const)(
    '%s inside changes nothing, and the outer one tells',
    (which) => {
      expect(readFileSync(file, 'utf8')).toBe('kept')
      expect(existsSync(made)).toBe(false)
      expect(inner[which].exitCode).not.toBe(0)
      expect(inner[which].outcome.kind).toBe('exited')
      const paths = inner[which].denials.map(({ path }) => path)
      expect(paths).toEqual([file, made])
    },
  )
})
