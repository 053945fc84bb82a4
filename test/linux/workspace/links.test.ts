import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openTestShell } from '../../helpers/place.ts'
import { expectKept, makeProject, rowsOf } from './git/projects.ts'

const rows = rowsOf(`
tools/clean.py: ln -s ../../tools/clean.py .git/hooks/pre-commit
tools/clean.py: ln -s "$PWD/tools/clean.py" .git/hooks/pre-commit
tools/absent: ln -s ../../tools/absent .git/hooks/pre-commit
absent: ln -s ../../absent/pre-commit .git/hooks/pre-commit => echo x > absent
tools/clean.py: mkdir .vscode; ln -s ../tools/clean.py .vscode/tasks.json
tools/clean.py: mkdir -p .vscode/a/b; ln -s ../../../tools/clean.py .vscode/a/b/c
tools/new: mkdir .claude; ln -s ../tools .claude/commands
tools/clean.py: git init -q nested; ln -s ../../../tools/clean.py nested/.git/hooks/pre-push
monitor: mkdir .husky; ln -s pre-push .husky/pre-commit; ln -s ../monitor .husky/pre-push
monitor: mkdir .claude more; ln -s ../tools .claude/skills; ln -s ../more tools/more; ln -s ../monitor more/deep
tools/new: mkdir .idea; ln -s "$HOME/out" .idea/x; ln -s "$PWD/tools" "$HOME/out"
monitor: mkdir .idea "$HOME/out"; ln -s "$HOME/out" .idea/x; ln -s "$PWD/monitor" "$HOME/out/y"
attributes: mkdir -p .git/info; ln -s ../../attributes .git/info/attributes
way/clean.py: mkdir .vscode; ln -s tools way; ln -s ../way/clean.py .vscode/x; echo > free/clean.py => ln -sfn free way && echo x >> way/clean.py
tools/clean.py: ln -s ../../tools/clean.py .git/hooks/pre-commit => mv tools other && mkdir tools && echo x >> tools/clean.py
tools/clean.py: ln -s ../../tools/clean.py .git/hooks/pre-commit; chmod 755 tools/clean.py => echo x > new && mv -f new tools/clean.py
monitor: git config core.hooksPath hooks; ln -s ../monitor hooks/pre-commit
`)

const linux = describe.runIf(process.platform === 'linux')

linux('what a link in a protected directory leads to', () => {
  it.each(rows)('stays as it is: $path after $given', expectKept)

  it('is protected from the next command on where the link appears later', async () => {
    const { cwd, home } = makeProject('mkdir .vscode')
    const shell = await openTestShell({ cwd, mode: 'workspace', env: { HOME: home } })
    const command = 'echo x >> monitor'
    for (let i = 0; i < 3; i++) expect(await shell.execute({ command })).toMatchObject({ exitCode: 0 })
    symlinkSync('../monitor', join(cwd, '.vscode/tasks.json'))
    expect(await shell.execute({ command })).not.toMatchObject({ exitCode: 0 })
  })

  it.each([
    'mkdir .vscode; ln -s .. .vscode/all',
    'mkdir .vscode; ln -s ../.. .vscode/above',
    'ln -s . .vscode',
    'rm -r .git/hooks; ln -s .. .git/hooks',
  ])('is refused where it is the workspace or holds it: %s', async (given) => {
    const { cwd, home } = makeProject(given)
    const shell = await openTestShell({ cwd, mode: 'workspace', env: { HOME: home } })
    await expect(shell.execute({ command: 'echo x > made' })).rejects.toMatchObject({
      code: 'SPAWN_FAILED',
      refusal: { step: 'workspace', errno: 'ELOOP' },
    })
  })
})
