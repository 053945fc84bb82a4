import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { gitEnvironment } from '../../../helpers/git.ts'
import { makeDirectory, openTestShell } from '../../../helpers/place.ts'

/** \351 is an e with an acute accent in ISO 8859-1. */
function makeProject(script: string): string {
  const cwd = join(makeDirectory(), 'project')
  const line = `mkdir "$1" && cd "$1" && git init -q && name=$(printf 'd\\351p\\364t') && ${script}`
  execFileSync('sh', ['-ec', line, 'sh', cwd], { env: gitEnvironment(cwd), stdio: 'pipe' })
  return cwd
}

const rows = [
  ['a repository', 'git init -q "$name"'],
  ['a bare repository', 'git init -q --bare "$name"'],
  ['a linked worktree', 'git commit -q --allow-empty -m one && git worktree add -q "deep/$name" -b other'],
] as const

describe.runIf(process.platform === 'linux')('a name that is not UTF-8', () => {
  it.each(rows)('%s with it is not left open: the command is refused', async (_, script) => {
    const opening = openTestShell({ cwd: makeProject(script), mode: 'workspace' })
    await expect(opening).rejects.toMatchObject({
      code: 'SANDBOX_UNAVAILABLE',
      refusal: { remedy: expect.any(String) },
    })
  })

  it('of a repository that appears later refuses the next command', async () => {
    const cwd = makeProject('mkdir "$name"')
    const shell = await openTestShell({ cwd, mode: 'workspace' })
    for (let before = 0; before < 3; before++) await shell.execute({ command: 'true' })
    execFileSync('sh', ['-c', 'git init -q d*'], { cwd })
    await expect(shell.execute({ command: 'true' })).rejects.toMatchObject({ code: 'SANDBOX_UNAVAILABLE' })
  })

  it('of any other directory refuses nothing', async () => {
    const shell = await openTestShell({ cwd: makeProject('mkdir "$name"'), mode: 'workspace' })
    const { stdout } = await shell.execute({ command: 'cd d* && echo x > new && cat new' })
    expect(stdout).toBe('x\n')
  })
})
