import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openTestShell } from '../../../helpers/place.ts'
import { expectKept, makeProject, rowsOf } from './projects.ts'

const rows = rowsOf(String.raw`
hooks/pre-push: git config core.hooksPath hooks
hooks/new: git config core.hooksPath hooks
absent: git config core.hooksPath absent
hooks/new: git config core.hooksPath ":(optional)hooks"
hooks/new: git config core.hooksPath "$PWD/hooks"
pre-commit: git config core.hooksPath .
hooks/new: git config --global core.hooksPath hooks
hooks/new: mkdir -p "$HOME/.config/git"; printf "[core]\nhooksPath=hooks" > "$HOME/.config/git/config"
hooks/new: git config --global core.hooksPath "~/../project/hooks"
hooks/new: git config extensions.worktreeConfig true; git config --worktree core.hooksPath hooks
shared.gitconfig: git config include.path ../shared.gitconfig
absent: git config include.path ../absent
shared.gitconfig: git config includeIf.onbranch:x.path ../shared.gitconfig
hooks/new: git config include.path ../shared.gitconfig; git config -f shared.gitconfig core.hooksPath hooks
attributes: git config core.attributesFile attributes
monitor: git config core.fsmonitor ./monitor
.git/monitor: git config core.fsmonitor .git/monitor
tools/clean.py: git config filter.x.clean "python3 tools/clean.py %f"
monitor: git config core.sshCommand "sh monitor"
tools/clean.py: git config credential.helper "!tools/clean.py get"
tools/clean.py: git config diff.x.textconv "PYTHONPATH=. tools/clean.py"
tools/clean.py: git config interactive.diffFilter "sh tools/clean.py"
monitor: git config trailer.x.command "sh monitor"
tools/absent: git config merge.x.driver "tools/absent %O %A %B"
`)

const inside = rowsOf(`
nested/.git/config: git init -q nested
nested/.git/hooks/pre-commit: git init -q nested
nested/hooks: git init -q nested; git -C nested config core.hooksPath hooks
nested/.git: git init -q --separate-git-dir "$HOME/elsewhere" nested
a/b/.git/config: git init -q a/b; git -C a/b commit -q --allow-empty -m x; git add a/b
a/b/.git: git init -q a/b; git -C a/b commit -q --allow-empty -m x; git add a/b; rm -rf a/b/.git
a/b/c/.git/config: for r in a a/b/c; do git init -q $r; git -C $r commit -q --allow-empty -m x; done; git -C a add b/c; git add a
tools/store/config: git init -q --separate-git-dir tools/store nested
tools/store/config: git init -q --separate-git-dir tools/store .
a/b/.git/config: git commit -q --allow-empty -m x; git worktree add -q ../tree; mv .git ../main; mv ../tree/.git .;
  echo "gitdir: $PWD/../main/worktrees/tree" > .git; echo "$PWD/.git" > ../main/worktrees/tree/gitdir; git init -q a/b;
  git -C a/b commit -q --allow-empty -m x; git add a/b
.git/worktrees/tree/commondir: git commit -q --allow-empty -m x; git worktree add -q tools/tree
.git/worktrees/tree/gitdir: git commit -q --allow-empty -m x; git worktree add -q tools/tree
.git/info/attributes: mkdir -p .git/info
.git/info/attributes: mkdir -p .git/info; rm -f .git/info/attributes
nested/.git/info/attributes: git init -q nested
.git/branches/origin: mkdir -p .git/branches
.git/remotes/origin: mkdir -p .git/remotes
`)

/** Names of files in `tools`, which is the workspace, although the repository is the directory above. */
const part = rowsOf(`
clean.py: git config core.fsmonitor tools/clean.py
hooks: git config core.hooksPath tools/hooks
clean.py: git config core.fsmonitor tools/clean.py; git init -q tools
included: git config include.path ../tools/included
a/b/.git/config: git init -q tools/a/b; git -C tools/a/b commit -q --allow-empty -m x; git add tools/a/b
`)

const linux = describe.runIf(process.platform === 'linux')

linux('what a configuration of git names is protected', () => {
  it.each(rows)('$path with $given', expectKept)
})

linux('in a workspace that is a part of a repository', () => {
  it.each(part)('$path is protected after $given', async ({ given, path }) => {
    for (const mode of ['workspace', 'write'] as const) {
      const { cwd, home } = makeProject(given)
      const workspace = join(cwd, 'tools')
      const shell = await openTestShell({ cwd: workspace, workspace, mode, env: { HOME: home } })
      const { exitCode } = await shell.execute({ command: `echo x >> ${path}` })
      expect([mode, exitCode === 0]).toEqual([mode, mode === 'write'])
      expect(await shell.execute({ command: 'echo x > new' })).toMatchObject({ exitCode: 0 })
    }
  })
})

linux('repositories inside of the workspace', () => {
  it.each(inside)('$path is protected after $given', expectKept)
})
