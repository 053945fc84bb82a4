import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openTestShell } from '../../../helpers/place.ts'
import { makeProject, type Row, writes } from './projects.ts'

const rows: readonly Row[] = [
  { given: 'git config core.hooksPath hooks', path: 'hooks/pre-push' },
  { given: 'git config core.hooksPath hooks', path: 'hooks/new' },
  { given: 'git config core.hooksPath absent', path: 'absent' },
  { given: 'git config core.hooksPath ":(optional)hooks"', path: 'hooks/new' },
  { given: 'git config core.hooksPath "$PWD/hooks"', path: 'hooks/new' },
  { given: 'git config core.hooksPath .', path: 'pre-commit' },
  { given: 'git config --global core.hooksPath hooks', path: 'hooks/new' },
  {
    given: 'mkdir -p "$HOME/.config/git"; printf "[core]\\nhooksPath=hooks" > "$HOME/.config/git/config"',
    path: 'hooks/new',
  },
  { given: 'git config --global core.hooksPath "~/../project/hooks"', path: 'hooks/new' },
  {
    given: 'git config extensions.worktreeConfig true; git config --worktree core.hooksPath hooks',
    path: 'hooks/new',
  },
  { given: 'git config include.path ../shared.gitconfig', path: 'shared.gitconfig' },
  { given: 'git config include.path ../absent', path: 'absent' },
  { given: 'git config includeIf.onbranch:x.path ../shared.gitconfig', path: 'shared.gitconfig' },
  {
    given: 'git config include.path ../shared.gitconfig; git config -f shared.gitconfig core.hooksPath hooks',
    path: 'hooks/new',
  },
  { given: 'git config core.attributesFile attributes', path: 'attributes' },
  { given: 'git config core.fsmonitor ./monitor', path: 'monitor' },
  { given: 'git config core.fsmonitor .git/monitor', path: '.git/monitor' },
  { given: 'git config filter.x.clean "python3 tools/clean.py %f"', path: 'tools/clean.py' },
  { given: 'git config core.sshCommand "sh monitor"', path: 'monitor' },
  { given: 'git config credential.helper "!tools/clean.py get"', path: 'tools/clean.py' },
  { given: 'git config diff.x.textconv "PYTHONPATH=. tools/clean.py"', path: 'tools/clean.py' },
  { given: 'git config interactive.diffFilter "sh tools/clean.py"', path: 'tools/clean.py' },
  { given: 'git config difftool.x.cmd "tools/clean.py $LOCAL"', path: 'tools/clean.py' },
  { given: 'git config uploadpack.packObjectsHook tools/clean.py', path: 'tools/clean.py' },
  { given: 'git config trailer.x.command "sh monitor"', path: 'monitor' },
  { given: 'git config merge.x.driver "tools/absent %O %A %B"', path: 'tools/absent' },
]

const inside: readonly Row[] = [
  { given: 'git init -q nested', path: 'nested/.git/config' },
  { given: 'git init -q nested', path: 'nested/.git/hooks/pre-commit' },
  { given: 'git init -q nested; git -C nested config core.hooksPath hooks', path: 'nested/hooks' },
  { given: 'git init -q --separate-git-dir "$HOME/elsewhere" nested', path: 'nested/.git' },
  { given: 'git init -q a/b; git -C a/b commit -q --allow-empty -m x; git add a/b', path: 'a/b/.git/config' },
  {
    given: 'git init -q a/b; git -C a/b commit -q --allow-empty -m x; git add a/b; rm -rf a/b/.git',
    path: 'a/b/.git',
  },
  {
    given: `for r in a a/b/c; do git init -q $r; git -C $r commit -q --allow-empty -m x; done
git -C a add b/c; git add a`,
    path: 'a/b/c/.git/config',
  },
  { given: 'git init -q --separate-git-dir tools/store nested', path: 'tools/store/config' },
  { given: 'git init -q --separate-git-dir tools/store .', path: 'tools/store/config' },
  {
    given: `git commit -q --allow-empty -m x; git worktree add -q ../tree; mv .git ../main; mv ../tree/.git .
echo "gitdir: $PWD/../main/worktrees/tree" > .git; echo "$PWD/.git" > ../main/worktrees/tree/gitdir
git init -q a/b; git -C a/b commit -q --allow-empty -m x; git add a/b`,
    path: 'a/b/.git/config',
  },
  {
    given: 'git commit -q --allow-empty -m x; git worktree add -q tools/tree',
    path: '.git/worktrees/tree/commondir',
  },
  {
    given: 'git commit -q --allow-empty -m x; git worktree add -q tools/tree',
    path: '.git/worktrees/tree/gitdir',
  },
  { given: 'mkdir -p .git/info', path: '.git/info/attributes' },
  { given: 'mkdir -p .git/info; rm -f .git/info/attributes', path: '.git/info/attributes' },
  { given: 'git init -q nested', path: 'nested/.git/info/attributes' },
  { given: 'mkdir -p .git/branches', path: '.git/branches/origin' },
  { given: 'mkdir -p .git/remotes', path: '.git/remotes/origin' },
]

/** Names of files in `tools`, which is the workspace, although the repository is the directory above. */
const part: readonly Row[] = [
  { given: 'git config core.fsmonitor tools/clean.py', path: 'clean.py' },
  { given: 'git config core.hooksPath tools/hooks', path: 'hooks' },
  { given: 'git config core.fsmonitor tools/clean.py; git init -q tools', path: 'clean.py' },
  { given: 'git config include.path ../tools/included', path: 'included' },
  {
    given: `git init -q tools/a/b; git -C tools/a/b commit -q --allow-empty -m x; git add tools/a/b`,
    path: 'a/b/.git/config',
  },
]

const linux = describe.runIf(process.platform === 'linux')

linux('what a configuration of git names is protected', () => {
  it.each(rows)('$path with $given', async (row) => {
    expect([await writes(row, 'workspace'), await writes(row, 'write')]).toEqual([false, true])
  })

  const harmless = [
    ['vim', 'git config core.editor vim'],
    ['monitor', 'git config alias.x "!sh monitor"'],
    ['monitor', 'git config user.name monitor'],
    ['hooks/new', 'git config core.bare false'],
  ] as const

  it.each(harmless)('but not %s with %s', async (path, given) => {
    expect(await writes({ given, path }, 'workspace')).toBe(true)
  })
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
  it.each(inside)('$path is protected after $given', async (row) => {
    expect([await writes(row, 'workspace'), await writes(row, 'write')]).toEqual([false, true])
  })

  it('take commits', async () => {
    const { cwd, home } = makeProject('git init -q nested')
    const shell = await openTestShell({ cwd, mode: 'workspace', env: { HOME: home } })
    const git = 'git -C nested -c user.name=A -c user.email=a'
    const command = `echo x > nested/x && ${git} add x && ${git} commit -qm x && ${git} checkout -qb other`
    expect(await shell.execute({ command })).toMatchObject({ exitCode: 0 })
  })
})

describe.runIf(process.platform === 'linux')('what git is told by its environment', () => {
  const line = 'git status; echo "settings: $GIT_CONFIG_COUNT $GIT_OPTIONAL_LOCKS"'

  it.each(['read', 'workspace'] as const)(
    'depends on the mode alone, not on who reads the line (%s)',
    async (mode) => {
      const { cwd } = makeProject('')
      const settings = async (command: string, toml: string) => {
        const shell = await openTestShell({ cwd, mode, toml })
        const { stdout } = await shell.execute({ command })
        return stdout.slice(stdout.indexOf('settings: '))
      }
      const unread = await settings(line, '')
      expect(await settings(`${line} # rm`, '')).toBe(unread)
      expect(await settings(line, '[policy]\ndeny = ["absent"]')).toBe(unread)
    },
  )
})
