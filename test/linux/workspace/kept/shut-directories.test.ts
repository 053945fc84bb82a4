import { execFileSync } from 'node:child_process'
import { mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeDirectory, openTestShell } from '../../../helpers/place.ts'

function makeProject(): string {
  const cwd = join(makeDirectory(), 'project')
  mkdirSync(join(cwd, '.github/workflows'), { recursive: true })
  mkdirSync(join(cwd, 'src'))
  execFileSync('git', ['init', '-q'], { cwd })
  return cwd
}

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

describe.runIf(process.platform === 'linux')('a directory in which vitrine looks for more to protect', () => {
  it.for(['.git', '.github'])('%s stays open to its user: nothing shuts it', async (name) => {
    const cwd = makeProject()
    const before = modeOf(join(cwd, name))
    const shell = await openTestShell({ cwd, mode: 'workspace' })
    for (const mode of ['000', '600', '300', 'u-r', 'u-x']) {
      expect(await shell.execute({ command: `chmod ${mode} ${name}` })).toMatchObject({ exitCode: 1 })
      expect([mode, modeOf(join(cwd, name))]).toEqual([mode, before])
    }
  })

  it('its mode can change otherwise, and that of another directory in any way', async () => {
    const cwd = makeProject()
    const shell = await openTestShell({ cwd, mode: 'workspace' })
    const command = 'chmod 700 .github && chmod 500 src && chmod 000 src'
    expect(await shell.execute({ command })).toMatchObject({ exitCode: 0 })
    expect([modeOf(join(cwd, '.github')), modeOf(join(cwd, 'src'))]).toEqual(['700', '0'])
  })

  it('in write mode it can be shut', async () => {
    const cwd = makeProject()
    const shell = await openTestShell({ cwd, mode: 'write' })
    expect(await shell.execute({ command: 'chmod 000 .git' })).toMatchObject({ exitCode: 0 })
    expect(modeOf(join(cwd, '.git'))).toBe('0')
  })
})
