import { describe, expect, it } from 'vitest'
import { type Row, writes } from './projects.ts'

/** Of git and of programs beside it; each names what a later command outside runs or obeys. */
const keys = `
pager.log: sh monitor
pager.log: ./monitor
remote.origin.uploadpack: ./monitor
remote.origin.receivepack: tools/clean.py
remote.a.b.uploadpack: ./monitor
gpg.ssh.defaultKeyCommand: ./monitor
gpg.program: ./monitor
core.alternateRefsCommand: ./monitor
submodule.x.update: !tools/clean.py
sendemail.smtpServer: ./monitor
sendemail.toCmd: tools/clean.py
difftool.x.path: ./monitor
difftool.x.cmd: tools/clean.py "$LOCAL"
mergetool.x.cmd: python3 tools/clean.py
imap.tunnel: ./monitor
man.x.path: ./monitor
browser.x.path: ./monitor
instaweb.httpd: ./monitor -f
lfs.customtransfer.x.path: ./monitor
lfs.customtransfer.x.args: tools/clean.py
lfs.extension.x.clean: ./monitor
gpg.ssh.allowedSignersFile: monitor
http.sslCAInfo: monitor
init.templateDir: tools
hook.x.command: ./monitor
trailer.x.command: ./monitor
uploadpack.packObjectsHook: ./monitor
gc.recentObjectsHook: ./monitor
alias.x: !tools/clean.py
alias.x: !cd free && sh ../monitor
unheard.of: some --option=tools/clean.py
unheard.of: "$PWD"/tools/clean.py
unheard.of: $(git rev-parse --show-toplevel)/tools/clean.py
unheard.of: \${HERE:-.}/tools/clean.py
unheard.of: PATH=./tools:$PATH x
filter.x.clean: "tools/a b" %f
filter.x.clean: tools/a\\ b %f
gpg.program: tools/a b
core.hooksPath: tools/a b
`
  .trim()
  .split('\n')
  .map((line) => line.split(/: (.*)/) as [string, string])

function written(value: string): string {
  const all = ['monitor', 'tools/a b', 'tools/clean.py'].find(
    (name) => value.includes(name) || value.includes(name.replace(' ', '\\ ')),
  )
  return all ?? 'tools/new'
}

const rows = keys.map(([key, value]): Row => {
  const path = written(value)
  return { given: `git config '${key}' '${value}'`, path, command: `echo x >> '${path}'` }
})

/** Names without a slash count where an executable file has one. */
const executable: readonly Row[] = ['unheard.of', 'alias.x', 'core.editor'].map((key) => ({
  given: `chmod 755 monitor; git config ${key} 'do monitor'`,
  path: 'monitor',
}))

const address: Row = {
  given: 'git config unheard.of "file://$PWD/tools/clean.py"',
  path: 'tools/clean.py',
}

const harmless: readonly Row[] = [
  { given: 'git config remote.origin.url tools', path: 'tools/clean.py' },
  { given: 'git config remote.origin.url ./tools/clean.py', path: 'tools/clean.py' },
  { given: 'git config remote.origin.fetch tools/clean.py:x', path: 'tools/clean.py' },
  { given: 'git config remote.origin.pushurl "$PWD/tools"', path: 'tools/clean.py' },
  { given: 'git config branch.x.description tools/clean.py', path: 'tools/clean.py' },
  { given: 'git config user.signingKey tools/clean.py', path: 'tools/clean.py' },
  { given: 'git config --global safe.directory "$PWD/tools"', path: 'tools/clean.py' },
  { given: 'git config --global maintenance.repo "$PWD/tools"', path: 'tools/clean.py' },
  { given: 'git config gitflow.prefix.feature tools/', path: 'tools/clean.py' },
  { given: 'git config submodule.tools.url ./tools', path: 'tools/clean.py' },
  { given: 'git config lfs.fetchexclude tools/', path: 'tools/clean.py' },
  { given: 'git config url.x.insteadOf tools/', path: 'tools/clean.py' },
  { given: 'git config core.excludesFile monitor', path: 'monitor' },
  { given: 'git config init.defaultBranch monitor; chmod 755 monitor', path: 'monitor' },
  { given: 'git config alias.x "diff tools/"', path: 'tools/clean.py' },
  { given: 'git config alias.x "!git add tools/"', path: 'tools/clean.py' },
  { given: 'git config alias.x "log origin/main"; mkdir origin', path: 'origin/main' },
  { given: 'git config merge.tool monitor', path: 'monitor' },
  { given: 'git config difftool.x.path nvim', path: 'nvim' },
]

describe.runIf(process.platform === 'linux')('a value of any key of git', () => {
  it.each([...rows, ...executable, address])('protects $path: $given', async (row) => {
    expect([await writes(row, 'workspace'), await writes(row, 'write')]).toEqual([false, true])
  })

  it.each(harmless)('that is data leaves $path open: $given', async (row) => {
    expect(await writes(row, 'workspace')).toBe(true)
  })
})

describe('layouts of work trees', () => {
  const first = 'git commit -q --allow-empty -m x'

  /** The workspace holds a bare repository in `.bare`, which `.git` names, and its work trees `one` and `two`. */
  const bare = `
${first}; git clone -q --bare . .bare; rm -rf .git; echo "gitdir: ./.bare" > .git
git worktree add -q one HEAD; git worktree add -q -b b two`

  const rows: readonly Row[] = [
    { given: `${first}; git worktree add -q wt; git config core.hooksPath .githooks`, path: 'wt/.githooks' },
    {
      given: `${first}; git worktree add -q deep/wt; git config core.fsmonitor ./watch`,
      path: 'deep/wt/watch',
    },
    { given: `${first}; git worktree add -q deep/wt`, path: 'deep/wt/.git' },
    {
      given: `${first}; git worktree add -q wt; git config extensions.worktreeConfig true
git -C wt config --worktree filter.x.clean 'sh tools/f'; mkdir wt/tools`,
      path: 'wt/tools/f',
    },
    {
      given: `${first}; git worktree add -q wt; git config extensions.worktreeConfig true
git -C wt config --worktree core.hooksPath "$PWD/hooks"`,
      path: 'hooks/new',
    },
    {
      given: `${first}; git worktree add -q wt; d=$(git rev-parse --git-dir); echo ../../../wt/.git > $d/worktrees/wt/gitdir
git config core.hooksPath .githooks`,
      path: 'wt/.githooks',
    },
    { given: `${bare}; git config core.hooksPath .githooks`, path: 'one/.githooks' },
    { given: `${bare}; git config core.hooksPath .githooks`, path: 'two/.githooks' },
    { given: `${bare}; git config core.sshCommand ./ssh`, path: 'two/ssh' },
    { given: bare, path: '.bare/hooks/pre-commit' },
    { given: bare, path: 'one/.git' },
    { given: 'git init -q nested; git config --global core.hooksPath .githooks', path: 'nested/.githooks' },
    { given: 'git init -q nested; git config --global core.fsmonitor ./watch', path: 'nested/watch' },
    {
      given: `git init -q a/b; git -C a/b ${first.slice(4)}; git add a/b; git config --global diff.external 'sh x/y'; mkdir a/b/x`,
      path: 'a/b/x/y',
    },
    {
      given:
        'git init -q --separate-git-dir "$HOME/store" nested; git -C nested config core.hooksPath .githooks',
      path: 'nested/.githooks',
    },
    {
      given: 'git config core.worktree ../tools; git config core.hooksPath .githooks',
      path: 'tools/.githooks',
    },
    { given: 'git config core.hooksPath .githooks', path: '.git/.githooks' },
    { given: 'mv .git .store; ln -s .store .git; git config core.hooksPath .githooks', path: '.githooks' },
    {
      given: `mkdir -p "$HOME/dot"; ln -s "$PWD/tools" "$HOME/dot/hooks"; git config core.hooksPath "$HOME/dot/hooks"`,
      path: 'tools/pre-commit',
    },
    // A link on the way of a `.git` file.
    {
      given:
        'git init -q --separate-git-dir tools/store n; ln -s tools way; echo "gitdir: ../way/store" > n/.git; mkdir -p free/store',
      path: 'way/store/config',
      command: 'ln -sfn free way && echo x >> way/store/config',
    },
    {
      given:
        'git init -q --separate-git-dir "$HOME/store" n; ln -s "$HOME" way; echo "gitdir: ../way/store" > n/.git; mkdir free/store',
      path: 'way/store/config',
      command: 'ln -sfn free way && echo x >> way/store/config',
    },
  ]

  describe.runIf(process.platform === 'linux')('a work tree of another layout', () => {
    it.each(rows)('keeps $path after $given', async (row) => {
      expect([await writes(row, 'workspace'), await writes(row, 'write')]).toEqual([false, true])
    })
  })
})
