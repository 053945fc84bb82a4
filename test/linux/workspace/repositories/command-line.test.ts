import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Home } from '../../../cli/vitrine.ts'

/** A repository, and a process of its own for each command in it. */
function makeProject() {
  const home = new Home()
  const cwd = join(home.directory, 'project')
  mkdirSync(cwd)
  execFileSync('git', ['init', '-q'], { cwd })
  const run = (...args: string[]) => home.run(['run', '--mode', 'workspace', ...args], { cwd })
  return { cwd, run }
}

describe.runIf(process.platform === 'linux')('a repository that vitrine run has made', () => {
  it('is named in one line on stderr, and protected from the next process', async () => {
    const { cwd, run } = makeProject()
    const made = await run('--', 'git init -q vendor/sub; mkdir -p a; echo x > a/.envrc')
    const line = `vitrine: look before a program outside obeys what is new: ${cwd}/vendor/sub (git), ${cwd}/a/.envrc (direnv)\n`
    expect(made).toMatchObject({ code: 0, stdout: '', stderr: line })
    const hook = 'vendor/sub/.git/hooks/pre-commit'
    expect(await run('--', `echo x > ${hook}`)).toMatchObject({ code: 2 })
    expect(existsSync(join(cwd, hook))).toBe(false)
    expect(await run('--', 'echo x > file; git add file')).toMatchObject({ code: 0, stderr: '' })
  })

  it('is in the object of --json', async () => {
    const { cwd, run } = makeProject()
    const { stdout } = await run('--json', '--', 'git init -q --bare vendor/bare')
    const handoff = { path: join(cwd, 'vendor/bare'), kind: 'repository', obeyedBy: 'git' }
    expect(JSON.parse(stdout)).toMatchObject({ handoffs: [handoff] })
  })
})
