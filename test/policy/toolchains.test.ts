import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeDirectory, openTestShell } from '../helpers/place.ts'

/** The verdict on a line in a directory of a project. */
async function verdictIn(cwd: string, command: string) {
  const shell = await openTestShell({ cwd, mode: 'write' })
  return (await shell.decide({ command })).verdict
}

describe('cargo --version', () => {
  it.for(['rust-toolchain', 'rust-toolchain.toml'])(
    'is asked about beside or below a %s, which may name a cargo of the project',
    async (name) => {
      const project = makeDirectory()
      const below = join(project, 'src', 'deep')
      mkdirSync(below, { recursive: true })
      expect(await verdictIn(below, 'cargo --version')).toBe('allow')
      writeFileSync(join(project, name), '[toolchain]\npath = "evil"\n')
      expect(await verdictIn(below, 'cargo --version')).toBe('ask')
      expect(await verdictIn(project, 'cargo --version')).toBe('ask')
      expect(await verdictIn('/', `cd ${below} && cargo --version`)).toBe('ask')
    },
  )

  it('is asked about in a directory behind a link', async () => {
    const place = makeDirectory()
    mkdirSync(join(place, 'real'))
    symlinkSync('real', join(place, 'link'))
    expect(await verdictIn(place, 'cd link && cargo --version')).toBe('ask')
  })
})
