import { execFileSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeDirectory, openTestShell, type TestShellOptions } from '../../helpers/place.ts'
import { isInstalled } from '../../helpers/programs.ts'

const commit = 'git -c user.name=a -c user.email=b commit -q --allow-empty -m one'

async function run(hook: string, options: TestShellOptions = {}) {
  const place = makeDirectory()
  const cwd = join(place, 'tree')
  execFileSync('git', ['init', '-q', cwd])
  writeFileSync(join(cwd, '.git/hooks/pre-commit'), `#!/bin/sh\n${hook}\n`, { mode: 0o755 })
  const shell = await openTestShell({ cwd, mode: 'workspace', ...options })
  const result = await shell.execute({ command: commit })
  const made = ['inside', '../outside'].filter((name) => existsSync(join(cwd, name)))
  return { place, made, result }
}

const cannotRun = process.platform !== 'linux' || !isInstalled('git')

describe.skipIf(cannotRun)('a hook of git in workspace mode', () => {
  it.each([
    ['by default', {}],
    ['where the policy reads the line', { toml: '[policy]\ndeny = ["git push"]\n' }],
  ])('runs %s', async (_when, options) => {
    const { made, result } = await run('echo x > inside', options)
    expect(result).toMatchObject({ exitCode: 0, denials: [] })
    expect(made).toEqual(['inside'])
  })

  it('is confined like its command', async () => {
    const { place, made, result } = await run('echo x > ../outside; echo x > inside; true')
    expect(made).toEqual(['inside'])
    expect(result.denials).toMatchObject([{ operation: 'create', path: join(place, 'outside') }])
  })

  it('that fails stops the commit', async () => {
    const { result } = await run('exit 1')
    expect(result.exitCode).toBe(1)
  })
})
